import { mediaOf } from '../behaviour/media.ts'
import type { Call } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import type { Link } from './rows.ts'

/** All that profiles did through their networks' APIs, in the order in which it took effect. */
export function ledger(call: Call) {
  const profile = textOf(call, 'profile')?.split(':').at(-1)
  const wanted = { network: textOf(call, 'network'), profile, kind: textOf(call, 'kind') }
  return call.world.items
    .all()
    .filter(({ own, extra }) => own && !extra?.byHand)
    .filter((item) =>
      (['network', 'profile', 'kind'] as const).every((name) => [undefined, '', item[name]].includes(wanted[name])),
    )
    .map((item) => ({
      network: item.network,
      profile: item.profile,
      kind: item.kind,
      remoteId: item.id,
      alias: item.alias ?? null,
      parentId: item.parentId ?? null,
      threadId: item.threadId ?? null,
      to: item.to ?? null,
      title: item.title ?? null,
      text: item.text,
      link: item.link?.url ?? null,
      card: item.link ? cardOf(item.link) : null,
      media: item.media.map((id) => {
        const media = mediaOf(call.world, item.network, id)
        const url = `${call.origin}/media/${media?.sha256}`
        return { id, mime: media?.mime, bytes: media?.bytes, sha256: media?.sha256, alt: media?.alt ?? null, url }
      }),
      at: new Date(item.at).toISOString(),
      removedAt: item.removedAt === undefined ? null : new Date(item.removedAt).toISOString(),
      extra: item.extra ?? {},
    }))
}

/** What stands on the card of a link, where the network lets the author say it. */
function cardOf({ title, description, image }: Link) {
  return { title: title ?? null, description: description ?? null, image: image ?? null }
}
