import { createHmac } from 'node:crypto'
import { fetch } from 'undici'
import { type ApiRequest, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, escapeHtml, json } from '../http/response.ts'
import { day } from '../state/clock.ts'
import { secret } from '../state/ids.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'

const longestLease = 5 * day

/** POST to the hub: subscribes a callback to the feed of a channel, or unsubscribes it. */
export async function subscribe(request: ApiRequest): Promise<ApiResponse> {
  const topic = textOf(request, 'hub.topic') ?? ''
  const callback = textOf(request, 'hub.callback') ?? ''
  const mode = textOf(request, 'hub.mode') ?? ''
  const id = URL.canParse(topic) ? (new URL(topic).searchParams.get('channel_id') ?? '') : ''
  const profile = request.state.profile('YouTube', id)
  if (!profile || !URL.canParse(callback) || !['subscribe', 'unsubscribe'].includes(mode)) {
    return json({ error: 'hub.mode, hub.topic or hub.callback is not right.' }, 422)
  }
  const lease = Math.min((numberOf(request, 'hub.lease_seconds') ?? longestLease / 1000) * 1000, longestLease)
  if (!(await passesChallenge(callback, { mode, topic, lease })))
    return json({ error: 'The callback did not confirm.' }, 409)
  const key = `${id}>${callback}`
  if (mode === 'unsubscribe') request.state.subscriptions.delete(`YouTube:${key}`)
  else {
    request.state.subscriptions.put({
      network: 'YouTube',
      id: key,
      level: 'both',
      profile: id,
      callback,
      secret: textOf(request, 'hub.secret') ?? '',
      fields: ['uploads'],
      expiresAt: request.state.clock.now() + lease,
      extra: { topic },
    })
  }
  return { status: 202 }
}

/** Pushes an upload to the subscribers of a channel; comments are not pushed. */
export function pushUpload(state: SandboxState, profile: Profile, video: Item) {
  for (const { network, profile: profileId, callback, secret: key, expiresAt } of state.subscriptions.all()) {
    if (network !== 'YouTube' || profileId !== profile.id || !callback || (expiresAt ?? 0) < state.clock.now()) continue
    state.push.send({
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

/** GET of the feed itself. */
export function topicFeed(request: ApiRequest): ApiResponse {
  const profile = request.state.profile('YouTube', textOf(request, 'channel_id') ?? '')
  if (!profile) return { status: 404 }
  const videos = request.state.items.ofProfile('YouTube', profile.id, 'post').slice(-15)
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
<title>${escapeHtml(video.title ?? '')}</title><link rel="alternate" href="https://www.youtube.com/watch?v=${video.id}"/>
<author><name>${escapeHtml(name)}</name></author><published>${new Date(video.at).toISOString()}</published>
<updated>${new Date(video.updatedAt ?? video.at).toISOString()}</updated></entry>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom">
<link rel="self" href="https://www.youtube.com/xml/feeds/videos.xml?channel_id=${id}"/><title>YouTube video feed</title>
${entries.join('\n')}</feed>`
}

async function passesChallenge(
  callback: string,
  { mode, topic, lease }: { mode: string; topic: string; lease: number },
) {
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
