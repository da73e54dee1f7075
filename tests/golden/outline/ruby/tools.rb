# frozen_string_literal: true

# Keeps the tools of the mill.
# Each has a blade.

require "set"
require_relative "../blade"

LIMIT = 3

class String
  def shout = upcase + "!"
end

module Tools
  MAX = 3

  module_function

  # Sharpens a blade; see {#all}. It takes long.
  #
  # @param blade [Blade]
  def sharpen(blade, angle: 20, **opts, &block)
    block.call(blade)
    Mill::Stone.new(angle).turn(blade) { |b| grind(b) }
    blade&.edge
    polish blade
  end

  class << self
    def all
      [:saw]
    end

    private

    def hidden; end
  end

  def self.count
    all.size
  end

  Point = Struct.new(:x, :y) do
    def length
      Math.sqrt(x + y)
    end
  end

  Missing = Class.new(StandardError)
end

class Mill::Stone < Tools::Base
  include Comparable

  attr_reader :weight

  def initialize(weight)
    @weight = weight
  end

  def <=>(other)
    weight <=> other.weight
  end

  def weight=(value); @weight = value; end
  def heavy? = weight > 9

  define_method(:turn) { |times = 1| spin(times) }

  def late; end
  private :late

  private def dusty!; end

  private

  def spin(times)
    def nested; end
    times.times { step }
  end

  def self.still_open; end
  private_class_method def self.shut; end

  class Inner
    def open_to_all; end
  end

  public

  def last; end
end

class String
=begin
Makes it quiet.
=end
  def whisper
    downcase
  end
end

if RUBY_VERSION > "3"
  def modern; end
end

class Broken
  def fine; 1; end
  def torn(a
