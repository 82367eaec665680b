import { act, actKinds, Impossible } from '../behaviour/strangers.ts'
import type { Call } from '../http/call.ts'
import { numberOf, objectOf, textOf } from '../http/fields.ts'
import { networks, type Person } from '../state/rows.ts'
import { choice, wrong } from './choices.ts'

/** Somebody does something to a profile, as if on the network itself: a stranger, or with `own` the profile's people by hand. */
export function inject(call: Call): { remoteId: string; threadId: string | null } {
  const { world } = call
  const network = choice(call, 'network', networks)
  const wanted = textOf(call, 'profile') ?? ''
  const profile = world.profile(network, wanted) ?? world.profile(network, wanted.split(':').at(-1) ?? '')
  if (!profile) throw wrong(`${network} has no profile ${wanted}.`)
  try {
    const item = act(world, profile, {
      kind: choice(call, 'kind', actKinds),
      from: personIn(call),
      own: textOf(call, 'own') === 'true',
      text: textOf(call, 'text') ?? '',
      parentId: textOf(call, 'remoteId') ?? textOf(call, 'parentId') ?? textOf(call, 'postRemoteId'),
      threadId: textOf(call, 'threadId'),
      pictures: textOf(call, 'picture') === 'true' ? 1 : (numberOf(call, 'picture') ?? 0),
      silent: textOf(call, 'push') === 'false',
    })
    return { remoteId: item.id, threadId: item.threadId ?? null }
  } catch (error) {
    if (error instanceof Impossible) throw wrong(error.message)
    throw error
  }
}

function personIn(call: Call): Person {
  const given = objectOf(call, 'from') ?? {}
  const id = textOf(given, 'id') ?? '7000000000000001'
  const name = textOf(given, 'name') ?? 'Somebody Outside'
  const username = textOf(given, 'username') ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const email = textOf(given, 'email')
  return { id: id.split(':').at(-1) ?? id, name, username, ...(email === undefined ? {} : { email }) }
}
