import { expect, test } from 'vitest'
import { emailIn, phoneIn } from './person.ts'

test.each([
  ['Write to Robin.Field+walks@mail.example.com, please.', 'robin.field+walks@mail.example.com'],
  ['<kim@example.org>', 'kim@example.org'],
  ['(kim@example.org)', 'kim@example.org'],
  ['mailto:kim@example.org?subject=x', 'kim@example.org'],
  ['Mein Postfach ist jürgen@müller.example.', 'jürgen@müller.example'],
  ['メールはyuki@example.jpです', 'yuki@example.jp'],
  ['@kim @robin and then sam@example.com', 'sam@example.com'],
  ['a@b', ''],
  ['me@localhost', ''],
  ['me@1.2.3.4', ''],
  ['@example.com', ''],
  ['me@.com', ''],
  ['x@@example.com', ''],
  [`${'x'.repeat(65)}@example.com`, ''],
  ['', ''],
])('%s', (text, email) => {
  expect(emailIn(text)).toBe(email)
})

test.each([
  ['Call +44 7700 900123, please.', '+44 7700 900123'],
  ['(+1 (555) 010-0199)', '+1 (555) 010-0199)'.slice(0, -1)],
  ['+49.30.1234567.', '+49.30.1234567'],
  ['1+1 = 2, +5 %, + 3', ''],
  ['0170 1234567', ''],
  ['+123456789012345678', ''],
  ['++++++', ''],
])('%s', (text, phone) => {
  expect(phoneIn(text)).toBe(phone)
})

test.each(['@', 'a@', 'a@b.', `${'a.'.repeat(200)}@`])(
  'a million of %s are no address and take linear time',
  (piece) => {
    expect(emailIn(piece.repeat(1_000_000 / piece.length))).toBe('')
    expect(phoneIn(piece.replaceAll('@', '+').repeat(1_000_000 / piece.length))).toBe('')
  },
)
