import type { Clock } from "./clock";
import legacy = require("./legacy");

/** Keeps values by key. */
@sealed
export abstract class Store<K, V = string> implements Clock {
  private readonly items = new Map<K, V>();

  constructor(private readonly size: number, public name?: string) { super(); }

  abstract get(key: K): V;
  find(key: K): V;
  find(key: K, all: true): V[];
  @logged({ level: 1 })
  find(key: K, all?: boolean): V | V[] {
    return <V>this.get(key)!;
  }

  protected drop = async (key: K) => { await this.items.delete(key); };
}

export interface Clock {
  /** Milliseconds since the start. */
  now(): number;
  zone: string;
}

export type Pair<A> = [A, A];
type Hidden = { secret: string };
export enum Mode { Fast, Slow = "slow" }
export const enum Flag { On }

export namespace Util {
  export const PAD = " ";
  // Pads a number to its width.
  export function pad(n: number, width: number = 2): string { return String(n).padStart(width, PAD); }
  function inner() {}
}

declare function outside(x: string): void;
declare module "virtual" {
  export function load(): void;
}

function over(a: string): string;
function over(a: number): number;
function over(a: any) { return Util.pad(a); }

export default class extends Store<string> {}
export { type Pair as Two };
