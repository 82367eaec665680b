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
    const advocacy = placeAdvocacy({ url, databaseUrl, keys, control, account })
    const boardId = await advocacy.board()
    const texts = Array.from({ length: variants }, (_, index) => `Variant ${index} https://shop.example/`)
    const storyId = await advocacy.story(boardId, { variants: texts })
    const sharers: { ask: Caller; credentialIds: string }[] = []
    for (let number = 0; number < advocates; number++) {
      const { id, ask: call } = await advocacy.advocate(boardId)
      sharers.push({ ask: call, credentialIds: (await advocacy.profile(id)).id })
    }
    await staffCalls(harness.admin, 3_000)
    const idle = percentiles(await staffCalls(harness.admin, 15_000))
    const responses: { text: string; at: string; took: number }[] = []
    let refused = 0
    const sharing = sharers.map(async ({ ask: call, credentialIds }, index) => {
      await sleep((index / advocates) * seconds * 1_000)
      const started = performance.now()
      const { status, json } = await call(`POST /app/api/board/${boardId}/share`, { body: { storyId, credentialIds } })
      const [share] = status === 200 ? json.Items : []
      if (share) responses.push({ text: share.Message, at: share.StartDateTime, took: performance.now() - started })
      else refused++
    })
    const [calls] = await Promise.all([staffCalls(harness.admin, seconds * 1_000), ...sharing])
    const meanwhile = percentiles(calls)
    const plannedTimes = responses
      .map(({ at }) => Date.parse(`${at.replace(' ', 'T')}Z`))
      .sort((one, other) => one - other)
    return {
      shares: responses.length,
      refused,
      repeatedEarly: Math.min(variants, responses.length) - new Set(responses.map(({ text }) => text)).size,
      sameSecond: plannedTimes.length - new Set(plannedTimes).size,
      plannedMinutes: Math.round(((plannedTimes.at(-1) ?? 0) - (plannedTimes[0] ?? 0)) / 60_000),
      idle,
      meanwhile,
      sharing: percentiles(responses.map(({ took }) => took)),
      ratio: meanwhile.p99 / idle.p99,
    }
  } finally {
    await harness.stop()
  }
}

/** Staff requests, ten per second; returns their latencies. */
async function staffCalls(call: Caller, length: number): Promise<number[]> {
  const took: number[] = []
  const calls: Promise<unknown>[] = []
  for (const end = performance.now() + length; performance.now() < end; await sleep(100)) {
    const started = performance.now()
    calls.push(call('GET /campaign').then(() => took.push(performance.now() - started)))
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
