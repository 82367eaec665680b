import { type Answer, type Call, html } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { escaped, page } from '../http/markup.ts'

/** What a login dialog of Meta shows when it is asked for permissions that the app does not have; nothing when it has them all. */
export function scopesRefused(call: Call, known: readonly string[]): Answer | undefined {
  const asked = (textOf(call, 'scope') ?? '').split(/[ ,]+/).filter(Boolean)
  const unknown = asked.filter((scope) => scope !== 'public_profile' && !known.includes(scope))
  if (!unknown.length) return undefined
  return html(page('Cannot sign in', `<p>Invalid Scopes: ${escaped(unknown.join(', '))}</p>`), 400)
}
