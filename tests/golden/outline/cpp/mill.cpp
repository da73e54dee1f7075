// Copyright 2024 The Mill Authors. MIT licence.

/// @file
/// Mills, and what is in them.
#include "mill.h"
#include <vector>

MILL_NAMESPACE_BEGIN

namespace mill::stone {

using Corn = std::vector<int>;
template <class T> using Pair = std::pair<T, T>;

constexpr int kLimit = 40;

namespace {
int hidden() { return 1; }
}  // namespace

inline namespace v1 {
void declared(int a, int b = 2);
}

/// Turns.
template <typename T, typename U = int>
class MILL_API Wheel final : public Base<T>, private Other {
  int implicit_private() { return 0; }

 public:
  MILL_OBJECT
  using value_type = T;
  typedef T* pointer;
  static constexpr int kTeeth = 12;
  enum class Kind : int { kWood, kIron };
  struct Axle {
    int length;
    void grease() {}
  };

  Wheel();
  explicit Wheel(T v) : v_(v), w_{make(v)} {}
  MILL_CONSTEXPR MILL_INLINE Wheel(const Wheel& other) : v_(other.v_) {}
  virtual ~Wheel() noexcept = default;

  // How fast it is.
  T speed() const;
  virtual void stop() = 0;
  static Wheel make(int n) { return Wheel(n); }
  template <typename F> auto each(F&& f) -> decltype(f(1)) { return std::forward<F>(f)(1); }
  operator bool() const { return ok(); }
  operator const char*() const;
  Wheel& operator=(Wheel&& other);
  int operator()(int x) const { return x; }
  friend bool operator<(const Wheel& a, const Wheel& b) { return cmp(a, b); }
  int (*callback)(int);

 protected:
  void guard() {}

 private:
  T v_;
  void inner() {}
};

}  // namespace mill::stone

MILL_NAMESPACE_END

template <>
struct std::hash<Mill> {
  size_t operator()(const Mill& m) const noexcept { return m.id; }
};

template <class T>
T mill::stone::Wheel<T>::speed() const & {
  return this->v_.turn()->value;
}

Mill::Mill(int a, const Area& area) : a_(a) { init<int>(a); }

Mill::~Mill() { close(); }

Mill& Mill::operator=(Mill&& other) { return *this; }

Mill::operator bool() const { return true; }

/**
 * Listens to the wind.
 */
MILL_WARN_UNUSED
int Mill::Ear::listen(int (&where)[3], std::initializer_list<int> rest) {
  auto pick = [this](int at) -> int { return find(at); };
  std::lock_guard<std::mutex> lock(mutex_);
  Mill local(1);
  auto* p = new Mill(2);
  return std::make_unique<Mill>(pick(3))->get() + util::count(rest);
}

#ifdef WITH_RGB
int Mill::paint(const Area& area, bool rgb) {
#else
int Mill::paint(const Area& area) {
#endif
  if (area.empty()) {
    return -1;
  }
  return start(area);
}

extern "C" {
int mill_open(const char* name);
static int mill_close(void) { return 0; }
}

const int& reference(int& a, T&&... rest) { return a; }
int (*choose(int n))(const char*, int) { return table[n]; }
template <typename T>
concept Grinds = requires(T t) { t.grind(); };
long double operator""_kg(long double v) { return v; }
union Word { int i; float f; };
struct Forward;
