import { useState } from 'react'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { signOut } from '@/api/session.ts'
import { ago, formatDate } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { parseOptionalTimestamp } from '@/time/days.ts'
import { StatusBadge } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { SettingsGroup, SettingsRow, SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

const onError = ({ message }: { message: string }) => toast(message, { kind: 'problem' })

/** The user's active sessions; unknown ones can be revoked. */
export function Sessions() {
  const { data, error, refetch } = useApiQuery('GET /sessions', {})
  const [dialog, setDialog] = useState<'others' | 'all'>()
  const end = useApiMutation('DELETE /session/{id}', {
    invalidates: ['GET /sessions'],
    onError,
    onSuccess: () => toast(texts.settings.signInEnded),
  })
  const others = data?.Items.filter(({ Current }) => !Current).length ?? 0
  return (
    <SettingsSection calls={['GET /app/api/sessions', 'DELETE /app/api/session/{id}', 'DELETE /app/api/sessions']}>
      <SettingsGroup
        title={texts.settings.section['sign-ins']}
        description={texts.settings.signInsWhy}
        actions={
          data && (
            <div data-testid="actions" className={styles.actions}>
              {others > 0 && <Button onClick={() => setDialog('others')}>{texts.settings.endOthers(others)}</Button>}
              <Button variant="danger" icon="leave" onClick={() => setDialog('all')}>
                {texts.settings.endAll}
              </Button>
            </div>
          )
        }
      >
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        <ul className={styles.rows}>
          {data?.Items.map(({ Id, Agent, Address, Created, LastUsed, Ends, Current, Stays }) => (
            <SettingsRow
              key={Id}
              title={texts.settings.agent(Agent)}
              details={texts.settings.signInAbout(Address, ago(Created, ''), ago(LastUsed, ''))}
              badge={
                Current ? (
                  <StatusBadge status="sent">{texts.settings.thisOne}</StatusBadge>
                ) : (
                  <span className="muted">
                    {Stays
                      ? texts.settings.stays(formatDate(parseOptionalTimestamp(Ends) ?? 0))
                      : texts.settings.untilIdle}
                  </span>
                )
              }
            >
              {!Current && (
                <Button
                  variant="danger"
                  busy={end.isPending && end.variables.id === Id}
                  onClick={() => end.mutate({ id: Id })}
                >
                  {texts.settings.end}
                </Button>
              )}
            </SettingsRow>
          ))}
        </ul>
      </SettingsGroup>
      {dialog && <EndSessionsDialog isAll={dialog === 'all'} count={others} onClose={() => setDialog(undefined)} />}
    </SettingsSection>
  )
}

interface EndingProps {
  isAll: boolean
  count: number
  onClose: () => void
}

function EndSessionsDialog({ isAll, count, onClose }: EndingProps) {
  const [problem, setProblem] = useState<unknown>()
  const end = useApiMutation('DELETE /sessions', {
    invalidates: ['GET /sessions'],
    onSuccess: () => {
      if (isAll) return void signOut()
      toast(texts.settings.othersEnded)
      onClose()
    },
    onError: setProblem,
  })
  return (
    <Dialog
      title={isAll ? texts.settings.endAll : texts.settings.endOthers(count)}
      onClose={onClose}
      onSubmit={() => end.isPending || end.mutate({})}
    >
      {problem !== undefined && <ErrorMessage {...errorDetails(problem)} />}
      <p>{isAll ? texts.settings.endAllWhy : texts.settings.endOthersWhy}</p>
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="danger" type="submit" busy={end.isPending}>
          {isAll ? texts.settings.endAll : texts.settings.end}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
