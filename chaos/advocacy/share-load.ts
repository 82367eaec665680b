import { setTimeout as sleep } from 'node:timers/promises'
import { placeAdvocacy } from '../../tests/support/advocacy.ts'
import type { Caller } from '../../tests/support/caller.ts'
import { account } from '../installation.ts'
import { openHarness, type RunOptions } from '../publishing/harness.ts'
import { percentiles } from '../publishing/verdicts.ts'

interface LoadOptions extends RunOptions {
  advocates: number
  variants: number
  /** All advocates share within this many seconds. */
  seconds: number
}

export interface LoadReport {
  shares: number
  refused: number
  /** Shares that reused a variant while unused ones were left. */
  repeatedEarly: number
  /** Shares scheduled for the same second as another. */
  sameSecond: number
  /** Minutes from the first to the last. */
  plannedMinutes: number
  /** Latencies in milliseconds of staff requests, before and during the load, and of the shares. */
  idle: ReturnType<typeof percentiles>
  meanwhile: ReturnType<typeof percentiles>
  sharing: ReturnType<typeof percentiles>
  ratio: number
}

/** Many advocates share one story within a minute while staff keep working. */
export async function shareLoad({ advocates, variants, seconds, ...rest }: LoadOptions): Promise<LoadReport> {
  const harness = await openHarness({ ...rest, environment: {} })
  try {
    const { url, databaseUrl, keys, control } = harness
    const place = placeAdvocacy({ url, databaseUrl, keys, control, account })
    const boardId = await place.board()
    const texts = Array.from({ length: variants }, (_, index) => `Variant ${index} https://shop.example/`)
    const storyId = await place.story(boardId, { variants: texts })
    const people: { ask: Caller; credentialIds: string }[] = []
    for (let number = 0; number < advocates; number++) {
      const { id, ask } = await place.advocate(boardId)
      people.push({ ask, credentialIds: (await place.profile(id)).id })
    }
    await staffCalls(harness.admin, 3_000)
    const idle = percentiles(await staffCalls(harness.admin, 15_000))
    const answers: { text: string; at: string; took: number }[] = []
    let refused = 0
    const sharing = people.map(async ({ ask, credentialIds }, index) => {
      await sleep((index / advocates) * seconds * 1_000)
      const begun = performance.now()
      const { status, json } = await ask(`POST /app/api/board/${boardId}/share`, { body: { storyId, credentialIds } })
      const [share] = status === 200 ? json.Items : []
      if (share) answers.push({ text: share.Message, at: share.StartDateTime, took: performance.now() - begun })
      else refused++
    })
    const [calls] = await Promise.all([staffCalls(harness.admin, seconds * 1_000), ...sharing])
    const meanwhile = percentiles(calls)
    const moments = answers.map(({ at }) => Date.parse(`${at.replace(' ', 'T')}Z`)).sort((one, other) => one - other)
    return {
      shares: answers.length,
      refused,
      repeatedEarly: Math.min(variants, answers.length) - new Set(answers.map(({ text }) => text)).size,
      sameSecond: moments.length - new Set(moments).size,
      plannedMinutes: Math.round(((moments.at(-1) ?? 0) - (moments[0] ?? 0)) / 60_000),
      idle,
      meanwhile,
      sharing: percentiles(answers.map(({ took }) => took)),
      ratio: meanwhile.p99 / idle.p99,
    }
  } finally {
    await harness.stop()
  }
}

/** Staff requests, ten per second; returns their latencies. */
async function staffCalls(ask: Caller, length: number): Promise<number[]> {
  const took: number[] = []
  const calls: Promise<unknown>[] = []
  for (const end = performance.now() + length; performance.now() < end; await sleep(100)) {
    const begun = performance.now()
    calls.push(ask('GET /campaign').then(() => took.push(performance.now() - begun)))
  }
  await Promise.all(calls)
  return took
}

/** Violations in a report. */
export const brokenByLoad = ({ refused, repeatedEarly, sameSecond, ratio }: LoadReport): string[] => [
  ...(refused > 0 ? [`${refused} were refused`] : []),
  ...(repeatedEarly > 0 ? [`${repeatedEarly} variants were left though others were given twice`] : []),
  ...(sameSecond > 0 ? [`${sameSecond} are planned for the same second`] : []),
  ...(ratio > 2 ? [`staff's p99 is ${ratio.toFixed(1)} times the idle one`] : []),
]
