/*
 * Copyright 2024 Depot. Licensed under the Apache License, Version 2.0.
 */

package depot

import cats.{Eq, Show => Shown, _}
import ships.Hull, ships.deck.{Plank => _}

/** A parcel. Heavy.
  *
  * @param id its number
  */
@deprecated("use Box", "1.0")
final case class Parcel[T](id: String, private val kilos: Int = 1)(implicit order: Ordering[T])
    extends Cargo(id)
    with Ordered[Parcel[T]] { self =>
  private[this] lazy val label = print(id)
  type Corn = T

  def this(kilos: Int) = this("none", kilos)

  // Compares them.
  override def compare[U <: T](that: => Parcel[U], rest: String*)(implicit by: U): Int = {
    def local() = deep()
    val each = (x: Int) => keep(x)
    rest.map(measure).fold[Int](1)(sum)
    new Box[Int](2).open
    that match { case Box(z) => find(z) }
  }

  protected def weigh(x: Int): Unit
  def +(other: Parcel[T]): Parcel[T] = add(other)
  private def hidden = 1
  private[depot] def shown[A] = 2
}

object Parcel {
  val MaxKilos = 40
  val small = 1

  def of(id: String) = new Parcel(id)

  implicit class Ops(val parcel: Parcel[Int]) extends AnyVal {
    def heavy: Boolean = parcel.isHeavy()
  }
}

sealed trait Ship[+A] {
  def load: Int

  /** Loads all. */
  def loadAll(): Unit = go()
}

abstract class Place
case object Nowhere extends Place

type Kilos = Int
def top(x: Int): Int = x
val limit = 1

trait Quay:
  def moor(a: Int): Int =
    run(a)
