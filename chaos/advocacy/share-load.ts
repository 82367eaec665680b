import { setTimeout as sleep } from 'node:timers/promises'
import { placeAdvocacy } from '../../tests/support/advocacy.ts'
import type { Caller } from '../../tests/support/caller.ts'
import { account } from '../installation.ts'
import type { RunOptions } from '../publishing/run-options.ts'
import { openStage } from '../publishing/stage.ts'
import { spread } from '../publishing/waiting.ts'

interface LoadOptions extends RunOptions {
  advocates: number
  variants: number
  /** Within so many seconds everybody shares. */
  seconds: number
}

export interface LoadReport {
  shares: number
  refused: number
  /** How many got words that another had while there were others left. */
  repeatedEarly: number
  /** How many are planned for a second in which another is planned. */
  sameSecond: number
  /** From the first to the last, in minutes. */
  plannedMinutes: number
  /** Milliseconds of calls of the account's staff, before and meanwhile, and of the shares themselves. */
  idle: ReturnType<typeof spread>
  meanwhile: ReturnType<typeof spread>
  sharing: ReturnType<typeof spread>
  ratio: number
}

/** Many advocates share one story within a minute, while staff go on working. */
export async function shareLoad({ advocates, variants, seconds, ...rest }: LoadOptions): Promise<LoadReport> {
  const stage = await openStage({ ...rest, environment: {} })
  try {
    const { url, databaseUrl, keys, control } = stage
    const place = placeAdvocacy({ url, databaseUrl, keys, control, account })
    const boardId = await place.board()
    const texts = Array.from({ length: variants }, (_, index) => `Variant ${index} https://shop.example/`)
    const storyId = await place.story(boardId, { variants: texts })
    const people: { ask: Caller; credentialIds: string }[] = []
    for (let number = 0; number < advocates; number++) {
      const { id, ask } = await place.advocate(boardId)
      people.push({ ask, credentialIds: (await place.profile(id)).id })
    }
    await staffCalls(stage.admin, 3_000)
    const idle = spread(await staffCalls(stage.admin, 15_000))
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
    const [calls] = await Promise.all([staffCalls(stage.admin, seconds * 1_000), ...sharing])
    const meanwhile = spread(calls)
    const moments = answers.map(({ at }) => Date.parse(`${at.replace(' ', 'T')}Z`)).sort((one, other) => one - other)
    return {
      shares: answers.length,
      refused,
      repeatedEarly: Math.min(variants, answers.length) - new Set(answers.map(({ text }) => text)).size,
      sameSecond: moments.length - new Set(moments).size,
      plannedMinutes: Math.round(((moments.at(-1) ?? 0) - (moments[0] ?? 0)) / 60_000),
      idle,
      meanwhile,
      sharing: spread(answers.map(({ took }) => took)),
      ratio: meanwhile.p99 / idle.p99,
    }
  } finally {
    await stage.stop()
  }
}

/** What staff do all the time, ten times a second; gives how long each call took. */
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

/** What a report says that must not be. */
export const brokenByLoad = ({ refused, repeatedEarly, sameSecond, ratio }: LoadReport): string[] => [
  ...(refused > 0 ? [`${refused} were refused`] : []),
  ...(repeatedEarly > 0 ? [`${repeatedEarly} variants were left though others were given twice`] : []),
  ...(sameSecond > 0 ? [`${sameSecond} are planned for the same second`] : []),
  ...(ratio > 2 ? [`staff's p99 is ${ratio.toFixed(1)} times the idle one`] : []),
]
