import { FC, memo } from "react";

type Props<T> = { items: T[]; onPick: (t: T) => void };

/** Lets one be picked. */
export const Pick = <T,>({ items, onPick }: Props<T>) => {
  const renderRow = (item: T, i: number) => <li key={i} onClick={() => onPick(item)}>{String(item)}</li>;
  return <ul>{items.map(renderRow)}<Footer.Line /></ul>;
};

const Plain: FC = () => <b>x</b>;
const Kept = memo(function Kept({ a }: { a: number }) { return <Plain />; });

export function useRows<T extends object>(rows: T[]): T[] {
  const value = <unknown,>(x: unknown) => x;
  return rows;
}

export default Plain;
