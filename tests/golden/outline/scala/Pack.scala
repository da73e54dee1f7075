package object pack {
  val deep = 1
  def po = go()
}

enum Color(val code: Int):
  case Red extends Color(1)
  def shade = dim(code)

extension (s: String)
  def twice(n: Int): String = repeat(s)(n)
