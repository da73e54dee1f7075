// Copyright 2024 The Mill Authors. All rights reserved.

//go:build linux

// Package mill grinds corn. It knows no water.
package mill

import (
	"errors"
	str "strings"

	_ "embed"
)

import "fmt"

//go:generate stringer -type=Grain

// Grain is what is ground.
type Grain int

const (
	// Wheat is the usual one.
	Wheat Grain = iota
	Rye
	oats // for horses
)

// Limit and Rest are in kilos.
const Limit, Rest = 40, 2.5

// ErrWet says that the corn is wet.
var ErrWet = errors.New("wet")

var (
	Default  = &Stone[Grain]{}
	fallback = 3
)

type (
	// Handler takes a grain.
	Handler func(g Grain) error
	Sacks   = map[string][]Sack
)

// Stone is a millstone; Weigh tells how heavy it is.
type Stone[K comparable] struct {
	Grinder
	weight, width int
	parts         map[K]struct{ size int }
}

type sack struct{}

type Grinder interface {
	// Grind turns corn into flour.
	Grind(corn []Grain, fine bool) (flour int, err error)
	fmt.Stringer
	~int | ~string
}

// Grind implements Grinder.
//
// Deprecated: use Mill.
func (s *Stone[K]) Grind(corn []Grain, fine bool) (flour int, err error) {
	defer func() { s.rest() }()
	for i := range corn {
		flour += Map[Grain, int](corn, s.weigh)[i]
	}
	return flour, fmt.Errorf("%w: %s", ErrWet, str.Repeat("x", 3))
}

func (Stone[K]) rest() {}

func (sack) Weigh() int { return 0 }

// This remark is cut off by a blank line.

func Map[T, U any](in []T, f func(T) U, more ...func(a, b int) bool) []U {
	var out []U
	each := func(v T) U {
		return f(v)
	}
	type pair struct{ a, b int }
	const local = 1
	for _, v := range in {
		out = append(out, each(v))
	}
	go run(out)
	return out
}

// Run starts it.
//
//nolint:unused
var Run = func(
	name string,
	/* in kilos */ weight int,
) {
	start(name).then().wait()
}

// asm is written in assembler.
func asm(dst, src *byte, n int)

func init() { handlers["a"](1); (&server{}).serve(); [2]func(){}[0]() }

func init() {}
