import { useLostSince } from '@/api/call.ts'
import type { Keeping } from '@/api/draft-sync.ts'
import { useCall } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { clock, distance } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { go } from '@/routes/router.ts'
import { now } from '@/time/days.ts'
import { Button } from '@/ui/button.tsx'
import { Bar } from '@/ui/layout.tsx'
import { Menu, type MenuItem } from '@/ui/menu.tsx'
import type { Intent } from './composition.ts'
import { newDraftId } from './draft.ts'

interface ComposerBarProps {
  /** Of a post that there is already: how it stands. */
  editing: { isDraft: boolean } | undefined
  keeping: Keeping<unknown>
  draftId: string
  when: 'now' | 'at' | 'queue'
  time: string
  isBusy: boolean
  onStartOver: () => void
  onDone: (intent: Intent) => void
  onSave: () => void
}

/** What it is, how safe it is, and what can be done with it: the one thing to do next last. */
export function ComposerBar(props: ComposerBarProps) {
  const { editing, keeping, draftId, when, time, isBusy, onStartOver, onDone, onSave } = props
  const mayPublish = useMay()('approve')
  const drafts = useDraftItems(draftId)
  const approval = useApprovalItems(onDone, editing === undefined)
  // Without another workflow there is nothing to choose: the service sends it to the default one.
  const hasChoice = approval.length > 1
  const aside: MenuItem[] = [
    { label: editing ? words.composer.undoChanges : words.composer.startOver, icon: 'again', run: onStartOver },
    ...(editing
      ? []
      : ([{ label: words.composer.asDraft, icon: 'dashed', run: () => onDone({ isDraft: true }) }] as MenuItem[])),
  ]
  const main = editing ? undefined : mayPublish ? words.composer.send[when](time) : words.composer.toApproval
  return (
    <Bar
      title={editing ? words.composer.editPost : words.composer.newPost}
      about={<Safety keeping={keeping} isEditing={editing !== undefined} />}
      actions={
        <>
          {!editing && (
            <Menu
              label={words.composer.drafts}
              items={drafts}
              side="end"
              opener={(opening) => (
                <button type="button" className="button" data-kind="bare" {...opening}>
                  {words.composer.drafts}
                </button>
              )}
            />
          )}
          <span className="composer-wide">
            {aside.map(({ label, run }, index) => (
              <Button key={label} {...(index === 0 && { kind: 'bare' })} onClick={run}>
                {label}
              </Button>
            ))}
          </span>
          <span className="composer-narrow">
            <Menu
              label={words.ui.more}
              items={[...aside, ...approval]}
              side="end"
              opener={(opening) => (
                <button type="button" className="button" data-kind="bare" {...opening}>
                  {words.ui.more}
                </button>
              )}
            />
          </span>
          {(mayPublish ? approval.length > 0 : hasChoice) && (
            <span className={mayPublish ? 'composer-wide' : undefined}>
              <Menu
                label={words.composer.workflows}
                items={approval}
                side="end"
                opener={(opening) => (
                  <button type="button" className="button" data-kind={mayPublish ? undefined : 'main'} {...opening}>
                    {words.composer.toApproval}
                  </button>
                )}
              />
            </span>
          )}
          {editing ? (
            <>
              <Button {...(!editing.isDraft && { kind: 'main' })} busy={isBusy} keys="mod+s" onClick={onSave}>
                {words.composer.saveChanges}
              </Button>
              {editing.isDraft && (
                <Button kind="main" busy={isBusy} onClick={() => onDone({})}>
                  {mayPublish ? words.composer.send[when](time) : words.composer.toApproval}
                </Button>
              )}
            </>
          ) : (
            (mayPublish || !hasChoice) && (
              <Button kind="main" busy={isBusy} onClick={() => onDone({})}>
                {main}
              </Button>
            )
          )}
        </>
      }
    />
  )
}

/** Whether what was written is safe, and where. */
function Safety({ keeping: { state, at }, isEditing }: { keeping: Keeping<unknown>; isEditing: boolean }) {
  const lost = useLostSince() !== undefined
  if (state === 'new') return null
  const sentence = state === 'saved' && !lost ? words.composer.savedAt(clock(at)) : words.composer.keptHere
  return <span className="composer-safety">{isEditing ? `${sentence} ${words.composer.notYetChanged}` : sentence}</span>
}

/** What was begun before, to go on with. */
function useDraftItems(present: string): MenuItem[] {
  const { data } = useCall('GET /draft', { kind: 'post', _count: 30 })
  const others = (data?.Items ?? []).filter(({ Id, Title }) => Id !== present && Title !== '')
  return [
    { label: words.composer.newOne, icon: 'plus', run: () => go(`/app/compose?draft=${newDraftId()}`) },
    ...others.map(({ Id, Title, Modified }) => ({
      label: `${Title.slice(0, 40)} · ${distance(Date.parse(`${Modified.replace(' ', 'T')}Z`), now())}`,
      icon: 'write' as const,
      run: () => go(Id.startsWith('post-') ? `/app/compose?post=${Id.slice(5)}` : `/app/compose?draft=${Id}`),
    })),
  ]
}

/** The default workflow comes first. */
function useApprovalItems(onDone: (intent: Intent) => void, isNew: boolean): MenuItem[] {
  const { data } = useCall('GET /workflow', {}, { enabled: isNew })
  if (!isNew) return []
  return (data?.Items ?? [])
    .filter(({ Status }) => Status === 'active')
    .sort((one, other) => other.IsDefault - one.IsDefault)
    .map(({ Id, Name, IsDefault }) => ({
      label: IsDefault ? words.composer.throughDefault(Name) : words.composer.through(Name),
      icon: 'approvals',
      run: () => onDone({ workflowId: Id }),
    }))
}
