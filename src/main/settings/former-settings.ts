/** Former names of settings, which work until the next version. */
export const formerSettings: { readonly [name: string]: string } = {
  CHORUS_FEEDS: 'CHORUS_FEED_LIMITS',
  CHORUS_PUBLISH_LATENESS: 'CHORUS_PUBLISH_MAX_DELAY',
  CHORUS_PUBLISH_LOOKS: 'CHORUS_PUBLISH_CONFIRM_AFTER',
  CHORUS_WEBHOOK_WAITS: 'CHORUS_WEBHOOK_RETRY_DELAYS',
}

/** The environment with current names; of two names of a setting the current one counts. */
export function withCurrentNames(environment: NodeJS.ProcessEnv, warn: (line: string) => void): NodeJS.ProcessEnv {
  const current = { ...environment }
  for (const [name, now] of Object.entries(formerSettings)) {
    const value = current[name]
    if (value === undefined) continue
    delete current[name]
    current[now] ??= value
    warn(`${name} was renamed to ${now}. The former name works until the next version.`)
  }
  return current
}
