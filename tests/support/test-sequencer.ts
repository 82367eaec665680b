import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that mostly wait for programs or for timeouts. */
const waiting = [
  'tests/architecture/scratch-area',
  'tests/chaos/',
  'tests/journeys/',
  'src/kernel/http/entrance/entrance',
  'src/areas/media/download/fair-',
]
/** Tests that use the shared browser. */
const browsing = ['tests/console/', 'tests/browser/', 'console/ui/']
/** Tests that go through every endpoint. */
const long = ['tests/contract/', 'tests/networks/', 'tests/architecture/']
/** Number of waiting tests at the start; the rest are spread over this part of the other tests. */
const atOnce = 2
const spread = 0.7

/** Spreads waiting tests among busy ones, so that no core is idle, and starts long tests early. */
export class BalancedSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rankIn = (starts: readonly string[]) => (file: TestSpecification) => {
      const path = relative(this.ctx.config.root, file.moduleId)
      const place = starts.findIndex((start) => path.startsWith(start))
      return place < 0 ? starts.length : place
    }
    const by = (starts: readonly string[]) => {
      const rank = rankIn(starts)
      return (one: TestSpecification, other: TestSpecification) => rank(one) - rank(other)
    }
    const isOf = (starts: readonly string[]) => (file: TestSpecification) => rankIn(starts)(file) < starts.length
    const those = (starts: readonly string[]) => sorted.filter(isOf(starts)).sort(by(starts))
    const waiters = inTurn(those(waiting), those(browsing))
    const order = sorted.filter((file) => !waiters.includes(file)).sort(by(long))
    const gap = Math.max(1, Math.floor((order.length * spread) / Math.max(1, waiters.length - atOnce)))
    for (const [index, waiter] of waiters.entries())
      order.splice(Math.max(0, index - atOnce + 1) * (gap + 1), 0, waiter)
    return order
  }
}

/** Interleaves two lists. */
const inTurn = <Item>(these: readonly Item[], those: readonly Item[]): Item[] =>
  Array.from({ length: Math.max(these.length, those.length) }, (_, index) => [these[index], those[index]])
    .flat()
    .filter((item) => item !== undefined)
