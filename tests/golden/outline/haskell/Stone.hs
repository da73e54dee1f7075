{-# LANGUAGE GADTs #-}
-- |
-- Copyright: (c) The Mill
--
-- Grinds corn between stones.
module Mill.Stone
  ( grind
  , Stone(..)
  , Weigh(weigh)
  , module Data.List
  , (<+>)
  ) where

import qualified Data.Map as M
import Data.List (sort)

-- | A stone of the mill.
-- It is heavy.
data Stone a
  = Stone { weight :: Int } -- ^ a whole one
  | Pebble
  deriving (Show, Eq)

newtype Box = Box { unbox :: Int }
type Name = String

-- | What has a weight.
class Weigh a where
  -- | Tells it.
  weigh :: a -> Int
  weigh _ = 0

  unused :: a -> Int

instance Weigh (Stone a) where
  weigh (Stone w) = w
  weigh Pebble = one
    where one = 1

instance Weigh Box where
  weigh = unbox

data Expr a where
  Lit :: Int -> Expr Int

-- | Grinds it. Twice.
--
-- >>> grind 1 2
grind :: Int  -- ^ how often
      -> Int
      -> Int
grind 0 _ = 0
grind n m
  | n > 1 = helper (n - 1) m
  | otherwise = maybe 0 id $ M.lookup n . table =<< stones m
  where
    helper :: Int -> Int -> Int
    helper x y = x + turn y
    limit = 3

{-# INLINE hidden #-}
hidden :: Int
hidden = 3

(<+>) :: Int -> Int -> Int
a <+> b = a + b
infixl 6 <+>

x `over` y = div x y

main :: IO ()
main = do
  print "x"
  forM_ [1] $ \x -> print x
  return ()
