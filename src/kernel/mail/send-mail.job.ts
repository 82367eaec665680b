import type { Db } from '../database/database.ts'
import { type Job, job } from '../jobs/job.ts'
import { enqueue, enqueueAll } from '../jobs/queue.ts'
import type { Mail, Mailer } from './mail.ts'

/** Name and queue for enqueueing. */
const sendMail = { name: 'mail.send-mail', queue: 'mail' } as const

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The job that sends queued emails; worker processes provide the mailer. */
export const mailJob = (mailer: Mailer): Job<Mail> =>
  job(sendMail.name, {
    ...sendMail,
    retryDelays: [10 * second, minute, 10 * minute, hour, 4 * hour, 12 * hour],
    run: ({ id }, mail) => mailer.send({ ...mail, id }),
  })

/** Queues an email in the caller's transaction: it is sent only if that commits. */
export const queueMail = (context: { db: Db; now: Date; accountId?: string }, mail: Mail) =>
  enqueue(context, sendMail, mail)

/** Queues many emails, with lower priority than those a user is waiting for. */
export const queueMails = (context: { db: Db; now: Date; accountId?: string }, mails: readonly Mail[]) =>
  enqueueAll(context, sendMail, mails, { priority: 10 })
