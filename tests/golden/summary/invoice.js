// Turn the usage of a month into an invoice.

import { rateOn } from './rates.js';

const CENTS = 100;
const FREE_CALLS = 1000;

/**
 * Add up the usage records of one customer by product and day.
 * Records without a product are counted as "other"; negative amounts are corrections and are kept as they are.
 */
export function sumUsage(records, month) {
  const days = {};
  let skipped = 0;
  for (const record of records) {
    if (!record.day.startsWith(month)) {
      skipped += 1;
      continue;
    }
    const product = record.product || 'other';
    const day = days[record.day] || { calls: 0, bytes: 0, corrections: 0, products: {} };
    const entry = day.products[product] || { calls: 0, bytes: 0 };
    entry.calls += record.calls || 0;
    entry.bytes += record.bytes || 0;
    if (record.calls < 0 || record.bytes < 0) {
      day.corrections += 1;
    }
    day.calls += record.calls || 0;
    day.bytes += record.bytes || 0;
    day.products[product] = entry;
    days[record.day] = day;
  }
  return { month, days, skipped };
}

/**
 * Price the usage of one day by the rates that were valid on it.
 * The first thousand calls of a day are free, whatever product they belong to; bytes are priced by started gigabyte.
 */
export function priceDay(day, usage, plan) {
  const rate = rateOn(day, plan);
  // What one product leaves of the free calls, the next one has.
  let free = plan === 'trial' ? FREE_CALLS * 2 : FREE_CALLS;
  let total = 0;
  const lines = [];
  for (const product in usage.products) {
    const { calls, bytes } = usage.products[product];
    const charged = calls > free ? calls - free : 0;
    free = calls > free ? 0 : free - calls;
    const gigabytes = (bytes + 1e9 - 1 - ((bytes + 1e9 - 1) % 1e9)) / 1e9;
    const forCalls = charged * rate.perCall;
    const forBytes = gigabytes * rate.perGigabyte;
    if (forCalls + forBytes !== 0) {
      lines.push({ product, charged, gigabytes, cents: forCalls + forBytes });
    }
    total += forCalls + forBytes;
  }
  if (rate.cap !== undefined && total > rate.cap) {
    lines.push({ product: 'cap', charged: 0, gigabytes: 0, cents: rate.cap - total });
    total = rate.cap;
  }
  return { day, lines, total };
}

// Find what a customer still has to pay, given the credits that were bought before and may run out.
function applyCredits(total, credits, today) {
  let open = total;
  const used = [];
  for (const credit of credits) {
    const expired = credit.until !== null && credit.until < today;
    if (expired || credit.left === 0) {
      continue;
    }
    // The oldest credit comes first, as the list has them.
    const share = credit.left < open ? credit.left : open;
    used.push({ id: credit.id, cents: share, left: credit.left - share });
    open -= share;
    if (open === 0) {
      break;
    }
  }
  return { open, used };
}

/**
 * Make the invoice of one customer for one month, ready to be rendered.
 * An invoice below the customer's minimum is not sent; its amount is carried over to the next month instead.
 */
export async function makeInvoice(customer, records, month, today) {
  const usage = sumUsage(records, month);
  // Days come in the order in which they were first used, which is their order in the records.
  const days = [];
  let total = customer.carriedOver || 0;
  for (const day in usage.days) {
    const priced = priceDay(day, usage.days[day], customer.plan);
    total += priced.total;
    days.push(priced);
  }
  // What was carried over is due again, and credits pay for it first.
  const { open, used } = applyCredits(total, customer.credits, today);
  const carried = open < customer.minimum;
  const lines = [];
  for (const { day, lines: ofDay } of days) {
    for (const line of ofDay) {
      lines.push({ ...line, day, amount: line.cents / CENTS });
    }
  }
  return {
    customer: customer.id,
    month,
    lines,
    credits: used,
    due: carried ? 0 : open,
    carriedOver: carried ? open : 0,
    skipped: usage.skipped,
  };
}

/** Show cents as an amount with two decimals and a sign that stands before the currency. */
export function showAmount(cents, currency = 'EUR') {
  const sign = cents < 0 ? '-' : '';
  const whole = cents < 0 ? -cents : cents;
  const rest = whole % CENTS;
  const units = (whole - rest) / CENTS;
  const decimals = rest < 10 ? `0${rest}` : `${rest}`;
  return `${sign}${currency} ${units}.${decimals}`;
}
