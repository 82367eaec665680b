import { buffer } from 'node:stream/consumers'
import { type Deliver, zipType } from './delivery.ts'

/** Encoded for mail it becomes a third larger; many servers take ten megabytes. */
const mostAttached = 7 * 2 ** 20

/**
 * A mail with the file, or with a link to it where it is too large. A server that took it and could not say so gets it again under the same
 * Message-ID: mail has no way to find out.
 */
export const byMail: Deliver = async ({ mailer, destination, file, id, about }) => {
  const { email = '', firstName = '' } = destination
  const isAttached = file.bytes <= mostAttached
  const place = isAttached ? 'The file is attached.' : `The file is too large for a mail. Fetch it here: ${about.url}`
  const content = isAttached ? await buffer(file.read()) : undefined
  await mailer.send({
    id,
    to: email,
    subject: about.subject,
    text: `Hello ${firstName || email},\n\n${about.text}\n\n${place}\n`,
    ...(content && { attachment: { name: file.name, type: zipType, content } }),
  })
  return {}
}
