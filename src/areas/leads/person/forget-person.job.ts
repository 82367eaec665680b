import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { DataSubject, PersonalDataLocation } from '#kernel/personal-data.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Time limit of one run before it requeues itself, so that a long history doesn't block others. */
const turn = 30 * second

interface Forgetting {
  accountId: string
  person: DataSubject
  /** Progress: index of the location, and the cursor there. */
  place: number
  from: string
}

/** Job name and queue, for callers that enqueue it. */
export const forgetPerson = { name: 'leads.forget-person', queue: 'housekeeping' } as const

interface Places {
  places: readonly PersonalDataLocation[]
  /** Emails in the outbox folder, if there is one. */
  forgetInOutbox: (person: DataSubject) => Promise<void>
}

/** Deletes a person's data from every registered location in small steps: resumable after a crash. */
export const forgetPersonJob = ({ places, forgetInOutbox }: Places) =>
  job<Forgetting>(forgetPerson.name, {
    ...forgetPerson,
    retryDelays: [5 * second, minute, 10 * minute, hour, 6 * hour, 24 * hour],
    timeout: 5 * minute,
    async run({ transaction, complete, signal, log }, { accountId, person, place, from }) {
      const until = performance.now() + turn
      let at = { place, from }
      for (let kept = places[at.place]; kept && !signal.aborted && performance.now() < until; kept = places[at.place]) {
        const { forget } = kept
        const next = await transaction(accountId, (context) => forget(context, person, at.from))
        at = next === undefined ? { place: at.place + 1, from: '' } : { place: at.place, from: next }
      }
      const isDone = at.place >= places.length
      if (isDone) await forgetInOutbox(person)
      await complete(accountId, async (context) => {
        if (!isDone) await enqueue(context, forgetPerson, { accountId, person, ...at })
      })
      if (isDone) log.info({ account: accountId, lead: person.leadId }, 'a person was forgotten')
    },
  })
