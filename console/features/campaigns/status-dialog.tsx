import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { affectedRoutes, type Campaign } from './campaign.ts'
import * as styles from './campaigns.module.css'

export type StatusChange = 'paused' | 'active' | 'archived' | 'deleted'

interface StatusDialogProps {
  campaign: Campaign
  turn: StatusChange
  onClose: () => void
  onDeleted: () => void
}

/** Shows how many posts are affected before the status changes. */
export function StatusDialog({ campaign: { Id: id, Name, Status }, turn, onClose, onDeleted }: StatusDialogProps) {
  const { data, error } = useApiQuery('GET /campaign/{id}/consequences', { id }, { keepPrevious: false })
  const turnTo = useStatusChange(id, Name, Status)
  const remove = useApiMutation('v2 DELETE /campaign/{id}', {
    invalidates: affectedRoutes,
    onSuccess: () => {
      toast(texts.campaigns.did.deleted(Name))
      onClose()
      onDeleted()
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const t = texts.campaigns
  const title = { paused: t.pauseTitle, active: t.resumeTitle, archived: t.archiveTitle, deleted: t.deleteTitle }[turn]
  const label = { paused: t.pause, active: t.resume, archived: t.archive, deleted: t.delete }[turn]
  const submit = () => {
    if (turn === 'deleted') return remove.mutate({ id })
    onClose()
    turnTo(turn)
  }
  return (
    <Dialog title={title(Name)} onClose={onClose} onSubmit={submit}>
      {error && <ErrorMessage {...errorDetails(error)} />}
      {!data && !error && <Loading />}
      {data && <Consequences data={data} turn={turn} />}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button
          type="submit"
          variant={turn === 'archived' || turn === 'deleted' ? 'danger' : 'primary'}
          busy={remove.isPending || !data}
        >
          {label}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Consequences({ data, turn }: { data: Body<'GET /campaign/{id}/consequences'>; turn: StatusChange }) {
  const t = texts.campaigns
  const ended = turn === 'deleted' ? data.Deleted : data.Archived
  const isEnd = turn === 'archived' || turn === 'deleted'
  const lines: [count: number, line: string][] = isEnd
    ? [
        [ended.PostsDeleted, t.postsDeleted(ended.PostsDeleted)],
        [ended.DraftsDeleted, t.draftsDeleted(ended.DraftsDeleted)],
        [ended.PostsGivenUp, t.givenUp(ended.PostsGivenUp)],
        [ended.SharesStopped, t.shares(ended.SharesStopped)],
      ]
    : turn === 'paused'
      ? [
          [data.Paused.PostsHeld, t.held(data.Paused.PostsHeld)],
          [data.Paused.SharesStopped, t.shares(data.Paused.SharesStopped)],
        ]
      : [
          [data.Active.PostsResumed, t.resumed(data.Active.PostsResumed)],
          [data.Active.PostsLate, t.late(data.Active.PostsLate)],
        ]
  const said = [...lines, [data.PostsUnderWay, t.underWay(data.PostsUnderWay)] as const].filter(([count]) => count > 0)
  return (
    <div className={styles.consequences}>
      {said.length === 0 ? (
        <p>{t.nothingPlanned}</p>
      ) : (
        <ul>
          {said.map(([, line]) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {isEnd && (
        <p className="muted">
          {t.sentStays} {said.length > 0 && t.noWayBack}
        </p>
      )}
    </div>
  )
}

/** Changes the status immediately, with an undo if nothing was lost. Continues after the dialog is closed. */
function useStatusChange(id: string, name: string, before: Campaign['Status']) {
  const hasWayBack = (turn: string) => turn !== 'archived' && (before === 'active' || before === 'paused')
  const { mutate } = useApiMutation('v2 POST /campaign/{id}', {
    invalidates: affectedRoutes,
    onSuccess: (_body, { status = '' }) => {
      const turned = texts.campaigns.did[status as StatusChange](name)
      // Undo is a status change as well, and gets no undo of its own.
      const isBack = status === before
      const back = () => mutate({ id, status: before as 'active' | 'paused' })
      toast(turned, !isBack && hasWayBack(status) ? { action: { label: texts.ui.undo, run: back } } : {})
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  return (turn: Exclude<StatusChange, 'deleted'>) => mutate({ id, status: turn })
}
