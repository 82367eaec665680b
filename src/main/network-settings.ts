import type { Network } from '#networks/network.ts'
import type { NetworkApp } from '#networks/network-app.ts'
import { standardApps } from '#networks/standard-apps.ts'
import { orNothing, type Setting, setting, text, url } from './setting-readers.ts'

/** The four settings every network has. */
type NetworkSettings<Name extends string> = {
  [Key in `CHORUS_${Name}_CLIENT_ID` | `CHORUS_${Name}_CLIENT_SECRET`]: Setting<string | undefined>
} & { [Key in `CHORUS_${Name}_API_VERSION`]: Setting<string> } & {
  [Key in `CHORUS_${Name}_HOSTS`]: Setting<NetworkApp['hosts']>
}

const settingsOf = <const Name extends string>(name: Name, network: Network) => {
  const { apiVersion, hosts } = standardApps[network]
  const roles = Object.keys(hosts).join(', ')
  return {
    [`CHORUS_${name}_CLIENT_ID`]: setting('', `The app registered with ${network}.`, orNothing(text)),
    [`CHORUS_${name}_CLIENT_SECRET`]: setting('', 'Its secret.', orNothing(text)),
    [`CHORUS_${name}_API_VERSION`]: setting(apiVersion, `Version of ${network}'s interface.`, text),
    [`CHORUS_${name}_HOSTS`]: setting(
      '',
      `Other hosts: one URL for all, or \`role=url,…\` with ${roles}.`,
      readHosts(hosts),
    ),
  } as NetworkSettings<Name>
}

export const networkSettings = {
  ...settingsOf('FACEBOOK', 'Facebook'),
  ...settingsOf('INSTAGRAM', 'Instagram'),
  CHORUS_INSTAGRAM_LOGIN: setting(
    'instagram',
    '`instagram`, or `facebook` for accounts behind a page.',
    oneOf('instagram', 'facebook'),
  ),
  ...settingsOf('LINKEDIN', 'LinkedIn'),
  CHORUS_LINKEDIN_MESSAGES: setting('no', '`yes` once LinkedIn has approved the app for messages.', oneOf('yes', 'no')),
  CHORUS_LINKEDIN_SCOPES: setting(
    '',
    'Permissions to ask for, separated by blanks; fewer for an app that LinkedIn has not approved for pages.',
    orNothing(text),
  ),
  CHORUS_LINKEDIN_APPLICATION_ID: setting('', "The app's number, with which it subscribes to pushes.", orNothing(text)),
  ...settingsOf('X', 'Twitter'),
  CHORUS_X_TIER: setting(
    'self-serve',
    "What the app's plan at X allows: `self-serve` or `enterprise`.",
    oneOf('self-serve', 'enterprise'),
  ),
  CHORUS_X_CONSUMER_KEY: setting('', "The app's consumer key, with which it subscribes to pushes.", orNothing(text)),
  CHORUS_X_CONSUMER_SECRET: setting('', "The app's consumer secret, which signs X's pushes.", orNothing(text)),
  ...settingsOf('YOUTUBE', 'YouTube'),
  ...settingsOf('TIKTOK', 'TikTok'),
}

/** One URL for every host, or some of them by role. */
function readHosts(known: NetworkApp['hosts']) {
  const readUrl = url('http', 'https')
  return (value: string): NetworkApp['hosts'] => {
    if (value === '') return known
    if (!value.includes('=')) return Object.fromEntries(Object.keys(known).map((role) => [role, readUrl(value)]))
    const given = value.split(',').map((entry) => {
      const split = entry.indexOf('=')
      return [entry.slice(0, split).trim(), readUrl(entry.slice(split + 1).trim())] as const
    })
    const stray = given.find(([role]) => !(role in known))
    if (stray) throw new Error(`names the host "${stray[0]}"; there are ${Object.keys(known).join(', ')}`)
    return { ...known, ...Object.fromEntries(given) }
  }
}

function oneOf<const Word extends string>(...words: readonly Word[]) {
  return (value: string): Word => {
    const word = words.find((known) => known === value)
    if (!word) throw new Error(`must be ${words.join(' or ')}`)
    return word
  }
}
