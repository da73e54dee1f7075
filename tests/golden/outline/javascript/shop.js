#!/usr/bin/env node
/* eslint-env node */
/*!
 * Copyright 2024 The Shop Authors
 * MIT Licensed
 */

/**
 * @file Sells things, and takes them back.
 */

import fs, { readFile as read } from "node:fs";
import "./side-effect.js";
const path = require("node:path");
const later = () => import("./later.js");

export const LIMIT = 5;
const SECRET_KEY = "k";
const five = 5;

/**
 * Adds tax; see {@link LIMIT}.
 *
 * @param {number} price without tax
 */
export async function withTax({ price, ...rest }, rate = 0.2, [first] = [], ...others) {
  const total = await fs.promises.stat(path.join(price, "x"));
  return rest.map((r) => inner(r)).filter(Boolean);

  function inner(r) {
    return total * r;
  }
}

// eslint-disable-next-line no-unused-vars
const unused = function named(a) {};

export class Cart extends Base {
  static #count = 0;
  size = 3;
  onChange = async (event) => {
    this.#save(event);
  };

  /** Makes an empty cart. */
  constructor(owner) {
    super(owner);
    this.total = () => owner.sum();
  }

  get items() { return []; }
  set items(v) { this.add(...v); }
  #save(e) {}
  *[Symbol.iterator]() { yield* this.items; }
  static async create() { return new Cart(); }
}

function Old() {}
Old.prototype.buy = function (what) { return what; };
Old.make = () => new Old();
Object.keys(Old).forEach(function (key) { delete Old[key]; });

const api = {
  list: async () => [],
  // Puts one thing into the shop.
  post(thing) { return path.join(thing); },
  nested: { deep: function (a) { return a; } },
};

function factory(name) {
  run({ onDone() { finish(name); } });
  return { open() {}, close: () => {} };
}

const Row = memo(({ item }) => <Cell value={item} />);

export default function () {
  return api.list?.().then(later);
}

export { api as shop, Old };
export { readFile } from "node:fs";
export * from "./more.js";
export * as all from "./all.js";
