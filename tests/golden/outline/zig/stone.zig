//! Grinds corn.
//! Has stones.

const std = @import("std");
const Allocator = std.mem.Allocator;
const c = @cImport(@cInclude("mill.h"));
pub const wheel = @import("wheel.zig");
pub const max_speed = 3;
const MIN_SPEED: usize = 1;
var counter: u32 = 0;

/// A stone of the mill.
/// Heavy.
pub const Stone = struct {
    weight: u32,
    const Self = @This();

    pub const Kind = enum(u8) { upper, lower };

    /// Grinds. Twice.
    pub fn grind(self: *Self, comptime T: type, n: u32) !void {
        std.debug.print("x {d}", .{n});
        self.turn(n);
        try self.items.append(make(T));
    }

    // Turns it.
    fn turn(self: Self, n: u32) void {
        const Local = struct {
            fn once() void {}
        };
        Local.once();
        _ = @as(u32, n);
    }
};

pub const Corn = union(enum) { wheat: u32, rye: void };
const Failure = error{ Stuck, Broken };
const Opaque = opaque {};

pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn push(self: *@This(), item: T) void {
            add(self, item);
        }
    };
}

export fn add(a: i32, b: i32) i32 {
    return a + b;
}

extern "c" fn printf(format: [*:0]const u8, ...) c_int;
pub inline fn quick() void {}

test "it grinds" {
    try std.testing.expect(true);
}
