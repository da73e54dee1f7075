/* pump.c - moves water.
 *
 * Copyright (c) 2024 The Pump Authors
 */
#include <stdio.h>
#include "pump.h"

#define MAX_RATE 40
#define DOUBLE(x) ((x) * 2)

typedef int (*handler_t)(const char *, int);
typedef unsigned long rate_t;

/* One pump. */
typedef struct pump {
    int (*start)(struct pump *self);
    rate_t rate;
} pump_t;

enum mode { SLOW, FAST };

static void stop(struct pump *p);

/* Starts the pump.
 * Returns 0. */
int start(struct pump *p, ...) {
    p->start(p);
    return DOUBLE(p->rate); /* trailing */
}
static void stop(struct pump *p) { printf("%p", p); }

/* ---------------------------------- */

static const char **names(void)
{
    return 0;
}

int (*choose(int n))(const char *, int) {
    return table[n];
}

static void
old(line, len)
    char *line;
    int len;
{
    puts(line);
}

int elsewhere(int a);
