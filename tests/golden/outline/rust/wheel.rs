// Copyright 2024 The Mill Authors.
// SPDX-License-Identifier: MIT

//! Wheels that turn a mill, and
//! what drives them.
#![allow(dead_code)]

use std::{
    fmt::{self, Display},
    io::Read as Source,
};
use super::*;
pub use crate::water::Level;
extern crate alloc;

mod gear;

/// Turns something.
pub trait Turn<T = i32>: Sized {
    /// What comes out.
    type Output: Default;
    const SPEED: usize = 1;

    fn turn(&mut self, by: i32) -> Self::Output;

    /// Turns twice.
    #[inline]
    fn twice(&mut self) {
        self.turn(2);
    }
}

/// A wheel; see [`Turn`].
#[derive(Debug, Clone)]
// of oak
#[repr(C)]
pub struct Wheel<T> {
    pub teeth: Vec<T>,
}

struct Hub(i32);

pub(crate) enum Drive {
    Water { level: Level },
    Wind(f32),
}

pub union Raw {
    word: u32,
    bytes: [u8; 4],
}

pub type Pair<T> = (Wheel<T>, Wheel<T>);

pub const TEETH: usize = 12;
static mut COUNT: u32 = 0;
const _: () = {
    fn assert_size() {}
};

impl<T: Clone> Wheel<T>
where
    T: Display,
{
    pub const ROUND: f64 = 6.28;

    /** Builds a wheel. */
    pub const fn new(teeth: Vec<T>) -> Self {
        Wheel { teeth }
    }

    fn tooth(self: Box<Self>, (from, to): (usize, usize), _: &[T]) -> Option<T> {
        let pick = |at: usize, step| self.teeth.get(at + step).cloned();
        pick(from, to).or_else(|| Some(fallback::<T>()))
    }
}

impl<'a, T> Turn for &'a mut Wheel<T> {
    type Output = Result<(), fmt::Error>;

    fn turn(&mut self, by: i32) -> Self::Output {
        assert_eq!(self.teeth.len(), size_of(by));
        Ok(())
    }
}

impl fmt::Display for gear::Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Turn for [u8; 4] {
    fn turn(&mut self, by: i32) {}
}

impl Drop for Hub {
    fn drop(&mut self) {}
}

extern "C" {
    pub fn mill_start(name: *const u8, ...) -> i32;
}

#[macro_export]
macro_rules! wheels {
    ($($n:ident),*) => { $( let $n = Wheel::new(vec![]); )* };
}

macro_rules! local {
    () => {};
}

/// Spins for ever.
#[must_use]
pub async unsafe fn spin<'a, T: Turn>(t: &'a mut T, mut times: u8) -> impl Iterator<Item = u8>
where
    T: Send,
{
    fn inner() -> i32 {
        deep()
    }
    const STEP: i32 = 1;
    wheels!(a, b);
    <T as Turn>::twice(t);
    Vec::<u8>::with_capacity(1).into_iter().map(|v| v.next()).collect::<Vec<_>>();
    pump(inner())?.await
}

pub mod axle {
    use super::Wheel;

    pub fn grease() {}

    impl super::Hub {
        pub fn oil(&self) {}
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn turns() {
            assert!(super::grease() == ());
        }
    }
}
