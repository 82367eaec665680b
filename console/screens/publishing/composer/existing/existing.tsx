import { useEffect, useMemo, useState } from 'react'
import { LinkButton } from '../../../../ui/inputs/button.tsx'
import { Bar } from '../../../../ui/layout/bar.tsx'
import { Empty, Problem } from '../../../../ui/layout/states.tsx'
import { told } from '../../../../wire/queries.ts'
import { useMayChange } from '../../../../wire/session.ts'
import { words } from '../../../../words/words.ts'
import { type Draft, useDraft, type Written } from '../draft.ts'
import { Loading, type Opened, Writing } from '../writing.tsx'
import { networkOf, type Reading, readPost } from './editing.ts'
import { useSaving } from './saving.ts'
import { Together } from './together.tsx'

/** A post that was not sent yet, as it was read; what was sent stays as it is. */
export function Existing({ id, draftId, profiles }: Opened & { id: string }) {
  const [reading, setReading] = useState<Reading>()
  const [problem, setProblem] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const mayChange = useMayChange()
  // biome-ignore lint/correctness/useExhaustiveDependencies: tried again when somebody asks for it
  useEffect(() => {
    setProblem(undefined)
    readPost(id).then(setReading, setProblem)
  }, [id, tries])
  if (problem)
    return (
      <>
        <Bar title={words.composer.editPost} />
        <Problem {...told(problem)} onAgain={() => setTries(tries + 1)} />
      </>
    )
  if (!reading) return <Loading title={words.composer.editPost} />
  const isSent = ['complete', 'incomplete', 'error'].includes(reading.post.Status)
  if (isSent || !mayChange(reading.post))
    return (
      <>
        <Bar title={words.composer.editPost} />
        <Empty
          icon="lock"
          title={isSent ? words.composer.notYours : words.composer.scheduledByOthers}
          action={
            <LinkButton kind="main" href={`/app/compose?copy=${id}`}>
              {words.calendar.duplicate}
            </LinkButton>
          }
        />
      </>
    )
  return <Changing {...{ draftId, profiles, reading }} />
}

function Changing({ draftId, profiles, reading }: Opened & { reading: Reading }) {
  const { composition, stamp } = reading
  const draft = useDraft(draftId, async (): Promise<Written> => ({ composition, base: { composition, stamp } }))
  const { written } = draft
  return written ? (
    <Open {...{ draftId, profiles, reading, draft, written }} />
  ) : (
    <Loading title={words.composer.editPost} />
  )
}

function Open({ reading, written, ...rest }: Opened & { reading: Reading; draft: Draft; written: Written }) {
  const saving = useSaving({ draft: rest.draft, written, reading })
  const network = networkOf(reading.post)
  const profiles = useMemo(() => rest.profiles.filter(({ Network }) => Network === network), [rest.profiles, network])
  return (
    <Writing
      {...{ ...rest, written, profiles }}
      existing={{
        id: reading.post.Id,
        isDraft: reading.post.Status.endsWith('draft'),
        network,
        isBusy: saving.isBusy,
        save: saving.save,
        notice: <Together {...{ reading, saving, written, profiles }} />,
      }}
    />
  )
}
