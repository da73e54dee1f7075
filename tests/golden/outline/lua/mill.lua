#!/usr/bin/env lua
--- Grinds corn.
-- Has stones.

local json = require("json")
local stones = require 'mill.stones'

local M = {}
local H = {}
local MAX_SPEED = 3

--- Adds two weights. Not more.
-- @param a number
local function add(a, b, ...)
  return a + b + select("#", ...)
end

---Grinds at a speed.
---@param speed number
function M.grind(speed)
  H.check(speed)
  return add(speed, 1)
end

function M:start(fast)
  self.speed = stones.new({ fast = fast, done = function() end }):turn(2)
  self:grind(1)
  local function once()
    return json.encode { self.speed }
  end
  return once
end

M.stop = function(self) self:grind(0) end
M.deep = { quiet = function() end, sub = { more = function(a) return add(a) end } }
M["odd name"] = function() end

H.check = function(speed)
  assert(type(speed) == "number")
end

local helper = function(x) return x end

local handlers = {
  ["on open"] = function(event) helper(event) end,
}

function global_one() end

--[[
  Waits a little.
]]
function M.wait() end

return M
