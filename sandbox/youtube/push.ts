import { createHmac } from 'node:crypto'
import { fetch } from 'undici'
import type { Call } from '../http/request.ts'
import { numberOf, textOf } from '../http/request.ts'
import { type Answer, escaped, json } from '../http/response.ts'
import { day } from '../state/clock.ts'
import { secret } from '../state/ids.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { World } from '../state/state.ts'

const longestLease = 5 * day

/** POST to the hub: subscribes or unsubscribes one address to one channel's feed. */
export async function subscribe(call: Call): Promise<Answer> {
  const topic = textOf(call, 'hub.topic') ?? ''
  const callback = textOf(call, 'hub.callback') ?? ''
  const mode = textOf(call, 'hub.mode') ?? ''
  const id = URL.canParse(topic) ? (new URL(topic).searchParams.get('channel_id') ?? '') : ''
  const profile = call.world.profile('YouTube', id)
  if (!profile || !URL.canParse(callback) || !['subscribe', 'unsubscribe'].includes(mode)) {
    return json({ error: 'hub.mode, hub.topic or hub.callback is not right.' }, 422)
  }
  const lease = Math.min((numberOf(call, 'hub.lease_seconds') ?? longestLease / 1000) * 1000, longestLease)
  if (!(await confirms(callback, { mode, topic, lease }))) return json({ error: 'The callback did not confirm.' }, 409)
  const key = `${id}>${callback}`
  if (mode === 'unsubscribe') call.world.subscriptions.delete(`YouTube:${key}`)
  else {
    call.world.subscriptions.put({
      network: 'YouTube',
      id: key,
      level: 'both',
      profile: id,
      callback,
      secret: textOf(call, 'hub.secret') ?? '',
      fields: ['uploads'],
      expiresAt: call.world.clock.now() + lease,
      extra: { topic },
    })
  }
  return { status: 202 }
}

/** Tells the subscribers of a channel about an upload; comments are never pushed. */
export function uploadPushed(world: World, profile: Profile, video: Item) {
  for (const { network, profile: whose, callback, secret: key, expiresAt } of world.subscriptions.all()) {
    if (network !== 'YouTube' || whose !== profile.id || !callback || (expiresAt ?? 0) < world.clock.now()) continue
    world.push.send({
      network: 'YouTube',
      profile: profile.id,
      url: callback,
      type: 'application/atom+xml',
      body: feed(profile, [video]),
      sign: (body): Record<string, string> =>
        key ? { 'x-hub-signature': `sha1=${createHmac('sha1', key).update(body).digest('hex')}` } : {},
    })
  }
}

/** GET of the topic itself. */
export function topicFeed(call: Call): Answer {
  const profile = call.world.profile('YouTube', textOf(call, 'channel_id') ?? '')
  if (!profile) return { status: 404 }
  const videos = call.world.items.ofProfile('YouTube', profile.id, 'post').slice(-15)
  return {
    status: 200,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    body: feed(profile, videos.toReversed()),
  }
}

function feed({ id, name }: Profile, videos: Item[]): string {
  const entries = videos.map(
    (
      video,
    ) => `<entry><id>yt:video:${video.id}</id><yt:videoId>${video.id}</yt:videoId><yt:channelId>${id}</yt:channelId>
<title>${escaped(video.title ?? '')}</title><link rel="alternate" href="https://www.youtube.com/watch?v=${video.id}"/>
<author><name>${escaped(name)}</name></author><published>${new Date(video.at).toISOString()}</published>
<updated>${new Date(video.updatedAt ?? video.at).toISOString()}</updated></entry>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom">
<link rel="self" href="https://www.youtube.com/xml/feeds/videos.xml?channel_id=${id}"/><title>YouTube video feed</title>
${entries.join('\n')}</feed>`
}

async function confirms(callback: string, { mode, topic, lease }: { mode: string; topic: string; lease: number }) {
  const challenge = secret('')
  const url = new URL(callback)
  url.searchParams.set('hub.mode', mode)
  url.searchParams.set('hub.topic', topic)
  url.searchParams.set('hub.challenge', challenge)
  url.searchParams.set('hub.lease_seconds', String(Math.floor(lease / 1000)))
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
    return response.ok && (await response.text()).trim() === challenge
  } catch {
    return false
  }
}
