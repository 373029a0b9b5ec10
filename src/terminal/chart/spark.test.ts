import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spark, sparkLine } from './spark.ts'

test('two values a cell, four heights, the newest at the right end', () => {
  assert.equal(spark([1, 2, 3, 0], 2), '⣴⣇')
  assert.equal(spark([0, 1, 2, 3], 2), '⣠⣾')
  assert.equal(spark([9, 9, 0, 1, 2, 3], 2), '⣠⣾', 'what has no room is left out')
  assert.equal(spark([3], 3), '  ⢸')
})

test('zero is the lowest dot, so that a series that stands at zero is there', () => {
  assert.equal(spark([0, 0, 0, 0], 2), '⣀⣀')
  assert.equal(spark([], 2), '  ')
})

test('a constant above zero is full: the picture begins at zero', () => {
  assert.equal(spark([5, 5], 1), '⣿')
  assert.equal(spark([50, 100], 1), '⣾')
})

test('below zero the lowest value is the lowest dot', () => {
  assert.equal(spark([-3, 0], 1), '⣸')
  assert.equal(spark([-3, -3], 1), '⣀')
})

test('a line goes from the least to the greatest of each number', () => {
  const flat = [7, 7, 7, 7]
  assert.equal(sparkLine(flat, flat, 2), '⣀⣀')
  assert.equal(sparkLine(flat, [7, 1000, 7, 7], 2), '⣸⣀', 'a peak')
  assert.equal(sparkLine([1000, 7, 1000, 1000], [1000, 1000, 1000, 1000], 2), '⢹⠉', 'a dip')
  assert.equal(sparkLine([Number.NaN, 0, 3, 3], [Number.NaN, 0, 3, 3], 2), '⢀⠏')
  assert.equal(sparkLine([], [], 1), ' ')
})

test('no value is no dot', () => {
  assert.equal(spark([1, Number.NaN, Number.NaN, Number.NaN, Number.NaN, 1], 3), '⡇ ⢸')
})

test('infinite values stop at the edges and do not hide the others', () => {
  const { POSITIVE_INFINITY: high, NEGATIVE_INFINITY: low } = Number
  assert.equal(spark([high, 1], 1).length, 1)
  assert.equal(spark([low, high], 1), '⣸')
})
