defmodule Mill.Stone do
  @moduledoc """
  Grinds corn.

  It has two sides.
  """

  use GenServer
  import Mill.Helper, only: [turn: 1]
  alias Mill.{Corn, Wheat}
  require Logger

  @max 3

  @typedoc "What a stone is made of."
  @type t :: %{weight: integer}
  @typep hidden :: t

  @callback weigh(corn :: term, opts :: keyword) :: integer

  @doc """
  Starts a stone. Then waits.

  ## Examples

      iex> start(1)
  """
  @doc since: "1.2"
  @spec start(term, keyword) :: GenServer.on_start()
  def start(weight, opts \\ []) do
    Logger.info("start #{weight}")
    conn = opts.conn
    GenServer.start_link(__MODULE__, weight, opts) |> turn() |> Corn.keep
  end

  @doc false
  def grind(0), do: :ok

  def grind(times) when times > 0 do
    :timer.sleep(1)
    grind(times - 1)
  end

  def grind(times, speed), do: {times, speed}

  def names, do: [:upper]

  # Keeps a secret.
  defp secret(%{a: a} = map, [head | tail]), do: Map.get(map, a, {head, tail})

  defmacro twice(block) do
    quote do
      unquote(block)
    end
  end

  defmacrop once(block), do: block
  defguard is_heavy(x) when x > 9
  defdelegate size(list), to: Enum, as: :count
  def left <~> right, do: left ++ right

  @impl true
  def init(weight), do: {:ok, weight}

  defmodule Crack do
    defexception message: "cracked"
    def deep?(crack), do: crack.message != ""
  end
end

defprotocol Mill.Weight do
  @doc "Tells the weight."
  def of(thing)
end

defimpl Mill.Weight, for: Mill.Corn do
  def of(corn), do: corn.grams
end

defmodule Mill.Torn do
  def fine, do: 1
  def torn(a, do
end
