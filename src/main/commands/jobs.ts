import type { Db } from '#kernel/database/database.ts'
import { queues } from '#kernel/jobs/job.ts'
import {
  discardDeadJob,
  findJobState,
  type JobState,
  jobStates,
  listJobs,
  retryDeadJobs,
} from '#kernel/jobs/job-admin.ts'
import { type Command, withDatabase } from './command.ts'

const shown = 100
const id = { help: 'Job id (0jb…)', required: true } as const
const queueNames = Object.keys(queues).join(', ')

export const jobsCommands: readonly Command[] = [
  {
    name: 'jobs list',
    summary: 'List jobs, by default the dead ones: those that failed for good',
    options: {
      state: { help: `One of ${jobStates.join(', ')}; default dead` },
      queue: { help: `Only this queue: ${queueNames}` },
    },
    run: async (settings, { state = 'dead', queue }, print) => {
      refuseUnknownState(state)
      if (queue !== undefined) refuseUnknownQueue(queue)
      await withDatabase(settings, print, async ({ database }) => {
        const { jobs, total } = await listJobs(database.shared, state, queue, shown)
        for (const job of jobs) print(line(job))
        const number = `${total} ${state} ${total === 1 ? 'job' : 'jobs'}`
        print(total > jobs.length ? `The first ${jobs.length} of ${number}.` : `${number}.`)
      })
    },
  },
  {
    name: 'jobs retry',
    summary: 'Try a dead job again, now',
    options: { id },
    run: (settings, { id = '' }, print) =>
      withDatabase(settings, print, async ({ database: { shared }, now }) => {
        const [retried] = await retryDeadJobs(shared, { id }, now)
        if (!retried) {
          await refuseUnlessDead(shared, id)
          throw new Error(
            `A newer job takes the place of ${id} and waits already. Discard this one: chorus jobs discard`,
          )
        }
        print(`The job ${id} is tried again.`)
      }),
  },
  {
    name: 'jobs retry-all',
    summary: 'Try all dead jobs of a queue again, now',
    options: { queue: { help: `One of ${queueNames}`, required: true } },
    run: async (settings, { queue = '' }, print) => {
      refuseUnknownQueue(queue)
      await withDatabase(settings, print, async ({ database: { shared }, now }) => {
        const retried = await retryDeadJobs(shared, { queue }, now)
        const { total } = await listJobs(shared, 'dead', queue, 0)
        print(`Tried again: ${retried.length}.`)
        if (total > 0) print(`Dead still: ${total}, because newer jobs take their place or they failed again.`)
      })
    },
  },
  {
    name: 'jobs discard',
    summary: 'Delete a dead job',
    options: { id },
    run: (settings, { id = '' }, print) =>
      withDatabase(settings, print, async ({ database: { shared } }) => {
        if (!(await discardDeadJob(shared, id))) await refuseUnlessDead(shared, id)
        print(`The job ${id} is gone.`)
      }),
  },
]

type Listed = Awaited<ReturnType<typeof listJobs>>['jobs'][number]

const line = ({ id, queue, name, account, attempts, due, lastError }: Listed) =>
  [
    id,
    queue,
    name,
    account || 'no account',
    `attempts ${attempts}`,
    `due ${due.toISOString()}`,
    (lastError ?? 'no error').replace(/\s+/g, ' ').slice(0, 300),
  ].join('  ')

function refuseUnknownState(state: string): asserts state is JobState {
  if (!(jobStates as readonly string[]).includes(state))
    throw new Error(`--state must be one of ${jobStates.join(', ')}.`)
}

function refuseUnknownQueue(queue: string) {
  if (!Object.hasOwn(queues, queue)) throw new Error(`There is no queue "${queue}"; the queues are ${queueNames}.`)
}

async function refuseUnlessDead(db: Db, id: string) {
  const state = await findJobState(db, id)
  if (!state) throw new Error(`There is no job ${id}. What is done is no longer listed.`)
  if (state !== 'dead') throw new Error(`The job ${id} is ${state}; only dead ones can be retried or discarded.`)
}
