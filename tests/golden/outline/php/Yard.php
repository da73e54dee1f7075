<?php

/**
 * Weighs what comes into the yard.
 *
 * @package Depot
 */

declare(strict_types=1);

namespace Depot;

use Other\{Scale, Crane as Lift};
use function Other\tare;
use Traversable;

require_once __DIR__ . '/units.php';

const LIMIT = 3;
define('DEEP', 5);

#[Kind(1)]
enum Suit: string implements HasColour
{
    case Hearts = 'H';

    public static function any(): self
    {
        return self::from('H');
    }
}

interface Weighs
{
    public function weigh(int ...$sacks): int;
}

trait Logs
{
    abstract protected function log(string $line): void;
}

/** Holds the sacks. */
#[Final]
final class Yard extends Place implements Weighs, \Countable
{
    use Logs;

    private int $open = 0;

    public function __construct(private readonly Lift $lift, public ?string $name = null)
    {
        parent::__construct();
        $this->lift?->start();
    }

    /**
     * Adds up the sacks.
     *
     * @param int ...$sacks
     */
    #[Pure]
    public function weigh(int ...$sacks): int
    {
        $twice = fn (int $x): int => double($x);
        return array_sum(array_map($twice, $sacks)) + Scale::zero()->value() + (new Scale\Big(1))->read();
    }

    protected function log(string $line): void {}

    private static function secret(array $a = ['x' => 1], &$b = null) { return static::make($a); }
}

if (!function_exists('helper')) {
    function helper($x)
    {
        return \strlen($x);
    }
}

function &open_yard(array &$list)
{
    $o = new class { public function hidden() { return inner(); } };
    return $list;
}

class Broken
{
    public function first() { return $this->; }
    public function second() { return 2; }
}
