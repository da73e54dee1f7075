/*
 * Copyright 2024 Depot. Licensed under the Apache License, Version 2.0.
 */
@file:JvmName("Parcels")

package depot

import kotlin.collections.*
import ships.Hull as Body

/** A parcel. Heavy. */
@Serializable
@Deprecated("use Box", ReplaceWith("Box(id)"))
data class Parcel(
    val id: String,
    private var kilos: Int = 1,
) : Cargo(id), Comparable<Parcel> {
    private val label by lazy { print(id) }
    val size: Int
        get() = measure()

    init {
        register(this)
    }

    constructor(kilos: Int) : this("none", kilos) {
        log(kilos)
    }

    // Only for its class.
    companion object {
        const val MAX = 40

        @JvmStatic
        fun of(id: String) = Parcel(id)
    }

    override fun compareTo(other: Parcel): Int = kilos.compareTo(other.kilos)

    private fun hidden() {}

    internal open fun <T> best(a: Int, vararg rest: T, by: (T) -> Unit = {}): T where T : Any {
        return rest.map { by(it) }.first()
    }

    inner class Lid {
        fun open() {}
    }

    enum class Size(val kilos: Int) {
        SMALL(1) {
            override fun grow() = BIG
        },
        BIG(9);

        abstract fun grow(): Size
    }

    companion object Named
}

sealed interface Ship {
    fun load(parcel: Parcel)
}

fun interface Sorter {
    fun sort()
}

annotation class Marked

@JvmInline
value class Kilos(val value: Int)

typealias Parcels<T> = Map<String, T>

/**
 * Tells whether it is heavy.
 *
 * @param limit in kilos
 */
fun Parcel.heavy(limit: Int = 20): Boolean = kilos > limit

fun <T : Any> List<T>.second(): T? {
    return getOrNull(1)
}

private suspend inline fun <reified T> ship(parcel: Parcel, crossinline onDone: (Parcel) -> Unit) {
    fun local() = Unit
    val each = { x: Int -> keep(x) }
    val job = object : Runnable {
        override fun run() {
            start()
        }
    }
    parcel?.lid?.open()
    if (parcel.heavy()) onDone(parcel)
    T.of<Int>(3).let(::println)
}

object Depot : Place() {
    operator fun plusAssign(parcel: Parcel) {
        println(parcel)
    }
}

const val TOP = 1
private val hiddenTop = load()
val String.trimmed: String get() = trim()
var onChange: (Int) -> Unit = { notify(it) }
val twice = fun(x: Int): Int {
    return double(x)
}

fun `with space`() {}
