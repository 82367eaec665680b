import { invalid } from '../errors.ts'

/** Whom a stored secret is shown to: server, port, transport security, user name; by the names of their parameters. */
export type SecretTarget = { readonly [parameter: string]: string | number | boolean | undefined }

/**
 * Refuses to keep a stored secret while its target changes: whoever may edit settings, but does not know the secret, could otherwise have
 * it sent to a server of their own. To be called wherever an update leaves a secret out or sends its mask back.
 */
export function refuseKeptSecret(secret: string, before: SecretTarget, after: SecretTarget) {
  const changed = Object.keys({ ...before, ...after }).find((name) => before[name] !== after[name])
  if (changed !== undefined) throw invalid(`${secret} must be given again because ${changed} changes.`)
}
