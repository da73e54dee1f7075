/*
 * Licensed to the Depot under one or more agreements.
 */
package depot;

import static java.util.Objects.requireNonNull;

import java.util.*;
import java.util.function.Function;

/**
 * A parcel that is {@link Ship shipped}. It never comes back.
 *
 * @param id its number
 */
@Deprecated
@SuppressWarnings({"unused", "rawtypes"})
public record Parcel(String id, @Positive int kilos) implements Comparable<Parcel> {
    /** The heaviest one. */
    public static final int MAX_KILOS = 40, MIN_KILOS = 1;
    private static final long serialVersionUID = 1L;
    static int count;

    static {
        register(Parcel.class);
    }

    public Parcel {
        if (kilos < 0) throw new IllegalArgumentException(id.trim());
    }

    Parcel(String id) {
        this(id, 1);
    }

    // Makes one.
    static Parcel of(final String id) { return new Parcel(id, 1); }

    /**
     * {@inheritDoc}
     */
    @Override // by weight
    public int compareTo(Parcel other) {
        return Integer.compare(kilos, other.kilos);
    }

    class Label<T extends Label<T>> {
        private String text;

        /* Prints it. */
        protected <U> Map<String, U> print(List<? super T> all, int[] places) throws java.io.IOException {
            class Line {
                void end() { flush(); }
            }
            Runnable later = () -> { run(all); };
            return this.<U>find(all).stream().collect(toMap(Line::end, new HashMap<String, U>()));
        }
    }

    enum Size implements Sized {
        /** Up to a kilo. */
        SMALL {
            @Override
            int max() { return 1; }
        },
        BIG(9);

        Size() { super(); }
        int max() { return MAX_KILOS; }
    }

    Runnable job() {
        return new Runnable() {
            @Override
            public void run() { of("x"); }
        };
    }

    <T extends Comparable<T>> T best(Function<? super T, T> f, T... rest) {
        return f.apply(rest[0]);
    }

    native void open(Parcel this, int where)[];
}

interface Ship {
    int DECKS = 3;

    void load(Parcel parcel);

    default void loadAll(Collection<Parcel> parcels) {
        parcels.forEach(this::load);
    }

    private static void check() {}

    sealed interface Berth permits Quay {}
}

@interface Marked {
    String value() default "none";

    Class<?>[] groups() default {};
}

abstract class Depot<T> extends Base<T> {
    private final List<T> all = new ArrayList<>();

    protected abstract void sort(Comparator<T> by);

    public static synchronized void main(String[] args) {
        new Depot<String>() {
            protected void sort(Comparator<String> by) { super.sort(by); }
        }.sort(null);
    }
}
