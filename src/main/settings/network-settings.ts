import { type AppSetting, type NetworkManifest, settingName } from '#networks/connector/manifest.ts'
import type { NetworkApp } from '#networks/connector/network-app.ts'
import { manifests, type NetworkCode } from '#networks/manifests.ts'
import { optional, type Setting, setting, text, url } from './setting-readers.ts'

/** Settings common to all networks. */
type NetworkSettings = Of<'CLIENT_ID' | 'CLIENT_SECRET', string | undefined> &
  Of<'SCOPES', readonly string[] | undefined> &
  Of<'API_VERSION', string> &
  Of<'HOSTS', NetworkApp['hosts']>

type Of<Tail extends string, Value> = {
  readonly [Name in `CHORUS_${Uppercase<NetworkCode>}_${Tail}`]: Setting<Value>
}

const settingsOf = (manifest: NetworkManifest): [string, Setting<unknown>][] => {
  const { network, code, app, login, settings = {} } = manifest
  const prefix = `CHORUS_${code.toUpperCase()}`
  const roles = Object.keys(app.hosts).join(', ')
  return [
    [`${prefix}_CLIENT_ID`, setting('', `Client id of the app registered with ${network}.`, optional(text))],
    [`${prefix}_CLIENT_SECRET`, setting('', 'Client secret of the app.', optional(text))],
    [`${prefix}_API_VERSION`, setting(app.apiVersion, `Version of the ${network} API.`, text)],
    [
      `${prefix}_HOSTS`,
      setting(
        '',
        `Overrides of the API hosts: one URL for all, or \`role=url,…\` with the roles ${roles}.`,
        readHosts(app.hosts),
      ),
    ],
    [`${prefix}_SCOPES`, setting('', scopesHelp(login), readScopes(login))],
    ...Object.entries(settings).map(([option, own]): [string, Setting<unknown>] => [
      settingName(manifest, option),
      optionSetting(own),
    ]),
  ]
}

const optionSetting = ({ default: initial = '', help, values, number }: AppSetting) => {
  if (values) return setting(initial, help, oneOf(values))
  return setting(initial, help, optional(number ? amount(number) : text))
}

/** All settings of all networks' apps, as declared in the manifests; settings of a single network are read by name. */
export const networkSettings = Object.fromEntries(manifests.flatMap(settingsOf)) as NetworkSettings

/** One URL for all hosts, or some of them by role; the others keep the network's own. */
function readHosts(known: NetworkApp['hosts']) {
  const readUrl = url('http', 'https')
  return (value: string): NetworkApp['hosts'] => {
    if (value === '') return {}
    if (!value.includes('=')) return Object.fromEntries(Object.keys(known).map((role) => [role, readUrl(value)]))
    const entries = value.split(',').map((entry) => {
      const split = entry.indexOf('=')
      return [entry.slice(0, split).trim(), readUrl(entry.slice(split + 1).trim())] as const
    })
    const invalid = entries.find(([role]) => !(role in known))
    if (invalid) throw new Error(`names the host "${invalid[0]}"; there are ${Object.keys(known).join(', ')}`)
    return Object.fromEntries(entries)
  }
}

/** Presets that are selected by an option can't be selected here. */
function selectablePresets({ scopePresets = {} }: NetworkManifest['login']) {
  return Object.entries(scopePresets).filter(([, { option }]) => option === undefined)
}

function scopesHelp(login: NetworkManifest['login']): string {
  const presets = selectablePresets(login).map(([name, { help }]) => `\`${name}\` (${help})`)
  const presetHint = presets.length > 0 ? `, or one of ${presets.join(', ')}` : ''
  return `Scopes to request at login, separated by spaces or commas${presetHint}. Defaults to all scopes that Chorus can use.`
}

/** The name of a preset, or a list of scopes. */
function readScopes(login: NetworkManifest['login']) {
  return (value: string): readonly string[] | undefined => {
    if (value === '') return undefined
    const preset = selectablePresets(login).find(([name]) => name === value)
    if (preset) return preset[1].scopes
    const scopes = value.split(/[\s,]+/).filter(Boolean)
    const invalid = scopes.find((scope) => !/^[\w.:/-]+$/.test(scope))
    if (invalid !== undefined || scopes.length === 0)
      throw new Error(`names the scope "${invalid ?? ''}", which cannot be one`)
    return scopes
  }
}

/** A positive number, kept as text. */
function amount(kind: 'count' | 'dollars') {
  const form = kind === 'count' ? /^[1-9]\d{0,11}$/ : /^\d{1,9}(\.\d{1,2})?$/
  const rule = kind === 'count' ? 'a whole number above 0' : 'an amount in dollars above 0, such as 50 or 12.50'
  return (value: string): string => {
    if (!form.test(value) || Number(value) === 0) throw new Error(`must be ${rule}`)
    return value
  }
}

function oneOf(allowed: readonly string[]) {
  return (value: string): string => {
    if (!allowed.includes(value)) throw new Error(`must be ${allowed.join(' or ')}`)
    return value
  }
}
