import type { Attacker } from '../attacker.ts'

/** Calls that make the service ask servers that never answer; each with a key, and every key twice at once. */
export function hung({ call, sources, endlessly }: Attacker) {
  return endlessly(400, async (turn) => {
    const source = turn % 2 === 0 ? sources.silent() : sources.begun()
    const headers = { 'idempotency-key': `hung-${turn}` }
    const wanted =
      turn % 4 < 2
        ? (['POST /media', { resource: source }] as const)
        : (['POST /upload', { source, name: 'film.mp4', mimeType: 'video/mp4' }] as const)
    const [route, body] = wanted
    await Promise.all([call(route, { body, headers }), call(route, { body, headers })])
  })
}

/** From what anybody would give up to what nobody can call hung. */
const paces = [1, 8, 32, 128]

/** Downloads that take for ever, more of them than there are places. */
export function drips({ call, sources, endlessly }: Attacker) {
  return endlessly(8, (turn) => {
    const source = sources.drip(paces[turn % paces.length] ?? 1)
    return call('POST /upload', { body: { source, name: `drip-${turn}.mp4`, mimeType: 'video/mp4' } })
  })
}

/** Receivers that take every call and never answer, and events for all of them. */
export async function webhooks({ call, sources, endlessly, chance }: Attacker) {
  for (let number = 0; number < 60; number++) {
    const body = { event: 'newCampaign', name: `Hung ${number}`, url: sources.silent() }
    await call('POST /webhook', { body })
  }
  await endlessly(16, (turn) => call('POST /campaign', { body: { name: `Event ${turn} ${chance()}` } }))
}
