import { useState } from 'react'
import { told, useCall, useChange } from '@/api/queries.ts'
import { signOut } from '@/api/session.ts'
import { ago, shortDay } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { momentIfAny } from '@/time/days.ts'
import { StatusMark } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { Group, Part, Row } from './section.tsx'

const refused = ({ message }: { message: string }) => say(message, { kind: 'problem' })

/** Where one is signed in: what looks foreign is ended here. */
export function SignIns() {
  const { data, error, refetch } = useCall('GET /sessions', {})
  const [asked, setAsked] = useState<'others' | 'all'>()
  const end = useChange('DELETE /session/{id}', {
    stale: ['GET /sessions'],
    refused,
    done: () => say(words.settings.signInEnded),
  })
  const others = data?.Items.filter(({ Current }) => !Current).length ?? 0
  return (
    <Part calls={['GET /app/api/sessions', 'DELETE /app/api/session/{id}', 'DELETE /app/api/sessions']}>
      <Group
        title={words.settings.section['sign-ins']}
        why={words.settings.signInsWhy}
        actions={
          data && (
            <div className="settings-acts">
              {others > 0 && <Button onClick={() => setAsked('others')}>{words.settings.endOthers(others)}</Button>}
              <Button kind="danger" icon="leave" onClick={() => setAsked('all')}>
                {words.settings.endAll}
              </Button>
            </div>
          )
        }
      >
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        <ul className="settings-rows">
          {data?.Items.map(({ Id, Agent, Address, Created, LastUsed, Ends, Current, Stays }) => (
            <Row
              key={Id}
              title={words.settings.agent(Agent)}
              about={words.settings.signInAbout(Address, ago(Created, ''), ago(LastUsed, ''))}
              mark={
                Current ? (
                  <StatusMark status="sent">{words.settings.thisOne}</StatusMark>
                ) : (
                  <span className="quiet">
                    {Stays ? words.settings.stays(shortDay(momentIfAny(Ends) ?? 0)) : words.settings.untilIdle}
                  </span>
                )
              }
            >
              {!Current && (
                <Button
                  kind="danger"
                  busy={end.isPending && end.variables.id === Id}
                  onClick={() => end.mutate({ id: Id })}
                >
                  {words.settings.end}
                </Button>
              )}
            </Row>
          ))}
        </ul>
      </Group>
      {asked && <Ending isAll={asked === 'all'} count={others} onClose={() => setAsked(undefined)} />}
    </Part>
  )
}

interface EndingProps {
  isAll: boolean
  count: number
  onClose: () => void
}

function Ending({ isAll, count, onClose }: EndingProps) {
  const [problem, setProblem] = useState<unknown>()
  const end = useChange('DELETE /sessions', {
    stale: ['GET /sessions'],
    done: () => {
      if (isAll) return void signOut()
      say(words.settings.othersEnded)
      onClose()
    },
    refused: setProblem,
  })
  return (
    <Dialog
      title={isAll ? words.settings.endAll : words.settings.endOthers(count)}
      onClose={onClose}
      onSubmit={() => end.isPending || end.mutate({})}
    >
      {problem !== undefined && <Problem {...told(problem)} />}
      <p>{isAll ? words.settings.endAllWhy : words.settings.endOthersWhy}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="danger" type="submit" busy={end.isPending}>
          {isAll ? words.settings.endAll : words.settings.end}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
