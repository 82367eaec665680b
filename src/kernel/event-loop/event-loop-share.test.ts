import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openEventLoopShare } from './event-loop-time.ts'

/** Blocks the event loop. */
function block(milliseconds: number) {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('the share drops while the event loop is late, and recovers once only one account is active', async () => {
  const portion = openEventLoopShare()
  const whole = portion.now()
  portion.watch()
  // On a busy machine the measuring timer may itself be late and measure less.
  for (let time = 0; time < 500 && portion.now() >= whole / 2; time++) {
    block(60)
    await sleep(1)
  }
  expect(portion.now()).toBeLessThan(whole / 2)
  await expect.poll(() => portion.now()).toBe(whole)
})

test('the delay is not measured and the share does not drop until two accounts are active', async () => {
  const portion = openEventLoopShare()
  const whole = portion.now()
  block(60)
  await sleep(1)
  expect(portion.now()).toBe(whole)
})
