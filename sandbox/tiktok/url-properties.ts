import type { Answer, Call } from '../http/call.ts'
import { objectOf, textOf } from '../http/fields.ts'
import { apps } from '../manifests.ts'
import { secret } from '../state/ids.ts'
import type { UrlProperty } from '../state/rows.ts'
import type { World } from '../state/world.ts'
import { businessAnswer, refuseBusiness } from './refusals.ts'

/** Tests and demos serve media from this machine, so its names are verified until somebody deletes them. */
const verifiedAtFirst = ['127.0.0.1', 'localhost', '[::1]']

/** Media is fetched only from a domain, or from under a URL prefix, whose ownership was verified for the app. */
export function isVerified(world: World, url: string): boolean {
  const { hostname, href } = new URL(url)
  const known = world.urlProperties.all().filter((property) => covers(property, hostname, href))
  return known.length > 0 ? known.some(({ verified }) => verified) : verifiedAtFirst.includes(hostname)
}

function covers({ kind, url }: UrlProperty, hostname: string, href: string): boolean {
  if (kind === 'prefix') return href.startsWith(url)
  return hostname === url || hostname.endsWith(`.${url}`)
}

/** POST /business/property/add/: known to TikTok, but not verified. */
export function addUrlProperty(call: Call): Answer {
  return answer(keep(call, false))
}

/** POST /business/property/verify/: the sandbox takes the owner's word. */
export function verifyUrlProperty(call: Call): Answer {
  return answer(keep(call, true))
}

export function deleteUrlProperty(call: Call): Answer {
  keep(call, false)
  return businessAnswer({})
}

export function listUrlProperties(call: Call): Answer {
  requireApp(call)
  return businessAnswer({ url_property_info_list: call.world.urlProperties.all().map(shape) })
}

function keep(call: Call, verified: boolean): UrlProperty {
  requireApp(call)
  const given = objectOf(call, 'url_property_meta') ?? {}
  const url = textOf(given, 'url') ?? ''
  const type = textOf(given, 'property_type')
  const isRight = type === '1' ? /^[\w.[\]:-]+$/.test(url) : type === '2' && /^https:\/\/\S+\/$/.test(url)
  if (!isRight) refuseBusiness(40002, 'url_property_meta needs property_type 1 with a domain or 2 with a prefix.')
  const kind = type === '1' ? 'domain' : 'prefix'
  return call.world.urlProperties.put({ url, kind, verified, signature: secret('tiktok-verify-') })
}

function requireApp(call: Call) {
  if (textOf(call, 'app_id') !== apps.TikTok.id) refuseBusiness(40001, 'app_id is incorrect.')
}

const answer = (property: UrlProperty) => businessAnswer({ url_property_info: shape(property) })

const shape = ({ url, kind, verified, signature }: UrlProperty) => ({
  property_type: kind === 'domain' ? 1 : 2,
  url,
  property_status: verified ? 1 : 2,
  signature,
  file_name: `${signature}.txt`,
})
