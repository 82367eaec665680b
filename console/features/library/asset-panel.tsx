import { lazy, Suspense, useEffect, useState } from 'react'
import { readAgain, told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { bytes, dayAndClock, shortDay } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { NetworkMark } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, TextArea } from '@/ui/field.tsx'
import { Fact, Panel } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { lengthOf, previewOf } from './asset-grid.tsx'
import { FolderField } from './folders.tsx'

/** The rules of all networks are larger than the rest of the screen, and needed here alone. */
const TakenBy = lazy(async () => ({ default: (await import('./network-support.tsx')).TakenBy }))

const lists = ['GET /media', 'v2 GET /media', 'v2 GET /media/{id}', 'GET /media/{id}/uses'] as const

/** One asset: what it is, what it is called and says of itself, who takes it, and what needs it. */
export function AssetPanel({ id, onClose, onLook }: { id: string; onClose: () => void; onLook: () => void }) {
  const may = useMay()
  const { data, error, refetch } = useCall('GET /media', { id, _count: 1 }, { keepsLast: false })
  const [isDeleting, setIsDeleting] = useState(false)
  const [draft, setDraft] = useState<{ name: string; description: string; folderId: string }>()
  const asset = data?.Items[0]
  useEffect(() => {
    if (asset) setDraft({ name: asset.Name, description: asset.Description, folderId: asset.FolderId ?? '' })
  }, [asset])
  const change = useChange('POST /media/{id}', {
    stale: lists,
    done: () => say(words.library.saved),
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  const isChanged =
    draft &&
    asset &&
    (draft.name !== asset.Name || draft.description !== asset.Description || draft.folderId !== (asset.FolderId ?? ''))
  const mayWrite = may('contribute')
  return (
    <Panel
      title={<span dir="auto">{asset?.Name ?? words.library.title}</span>}
      onClose={onClose}
      actions={
        asset && (
          <>
            {mayWrite && (
              <Button
                kind="main"
                busy={change.isPending}
                refuses={isChanged ? undefined : words.library.saved}
                onClick={() => draft && change.mutate({ id, ...draft })}
              >
                {words.library.save}
              </Button>
            )}
            {mayWrite && <LinkButton href={`/app/compose?asset=${asset.Id}`}>{words.library.compose}</LinkButton>}
            <a className="button" href={asset.Address} download={asset.Name}>
              {words.library.download}
            </a>
            {mayWrite && (
              <Button kind="danger" icon="trash" onClick={() => setIsDeleting(true)}>
                {words.library.delete}
              </Button>
            )}
          </>
        )
      }
    >
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!asset && !error && <Waiting />}
      {asset && draft && (
        <>
          <button type="button" className="asset-picture" onClick={onLook}>
            {previewOf(asset) ? <img src={previewOf(asset)} alt={asset.Description} /> : null}
            <span>{words.library.look}</span>
          </button>
          {mayWrite && (
            <>
              <Field
                label={words.library.name}
                value={draft.name}
                maxLength={255}
                dir="auto"
                onChange={(name) => setDraft({ ...draft, name })}
              />
              <TextArea
                label={words.library.description}
                hint={words.library.descriptionHint}
                value={draft.description}
                maxLength={2000}
                rows={3}
                onChange={(description) => setDraft({ ...draft, description })}
              />
              <FolderField value={draft.folderId} onChange={(folderId) => setDraft({ ...draft, folderId })} />
            </>
          )}
          <dl className="asset-facts">
            <Fact name={words.library.facts.kind}>{asset.MimeType}</Fact>
            <Fact name={words.library.facts.size}>{bytes(asset.Size)}</Fact>
            {asset.Width !== null && asset.Height !== null && (
              <Fact name={words.library.facts.measures}>{words.library.measures(asset.Width, asset.Height)}</Fact>
            )}
            {asset.DurationMs !== null && <Fact name={words.library.facts.length}>{lengthOf(asset.DurationMs)}</Fact>}
            {asset.Pages !== null && <Fact name={words.library.facts.pages}>{asset.Pages}</Fact>}
            <Fact name={words.library.facts.added}>{shortDay(Date.parse(`${asset.Created.replace(' ', 'T')}Z`))}</Fact>
          </dl>
          <Suspense>
            <TakenBy asset={asset} />
          </Suspense>
          <Uses id={id} />
        </>
      )}
      {isDeleting && asset && (
        <Deleting
          id={id}
          name={asset.Name}
          onClose={() => setIsDeleting(false)}
          onDone={() => {
            setIsDeleting(false)
            onClose()
          }}
        />
      )}
    </Panel>
  )
}

interface DeletingProps {
  id: string
  name: string
  onClose: () => void
  onDone: () => void
}

/** Says what needs it before anything goes. */
function Deleting({ id, name, onClose, onDone }: DeletingProps) {
  const { data } = useCall('GET /media/{id}/uses', { id }, { keepsLast: false })
  const remove = useChange('v2 DELETE /media/{id}', {
    done: () => {
      say(words.library.deleted(name))
      onDone()
      readAgain(...lists)
    },
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  return (
    <Dialog title={words.library.delete} onClose={onClose} onSubmit={() => remove.mutate({ id })}>
      <p dir="auto">{words.library.deleteWhy(name)}</p>
      {data && data.MayBeDeleted === 0 && <Uses id={id} />}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button
          kind="danger"
          type="submit"
          busy={remove.isPending}
          refuses={data?.MayBeDeleted === 0 ? words.library.needed : undefined}
          onClick={() => remove.mutate({ id })}
        >
          {words.library.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** What needs an asset: posts that were not sent, the next one first. */
function Uses({ id }: { id: string }) {
  const { data } = useCall('GET /media/{id}/uses', { id }, { keepsLast: false })
  if (!data) return null
  const { Posts, TotalPosts, HiddenPosts, Messages, Others, MayBeDeleted } = data
  return (
    <section>
      <h3 className="panel-title">{words.library.facts.uses}</h3>
      <ul className="uses">
        {MayBeDeleted === 1 && <li className="quiet">{words.library.unneeded}</li>}
        {TotalPosts > 0 && <li>{words.library.usedBy(TotalPosts)}</li>}
        {Posts.map((post) => (
          <li key={post.Id}>
            <a className="uses-post" href={`/app/calendar?post=${post.Id}`}>
              <NetworkMark network={post.Network} label />
              <span className="number">{dayAndClock(Date.parse(`${post.StartDateTime.replace(' ', 'T')}Z`))}</span>
              <span dir="auto">{post.Text}</span>
            </a>
          </li>
        ))}
        {HiddenPosts > 0 && <li>{words.library.hidden(HiddenPosts)}</li>}
        {Others.map(({ What, Count }) => (
          <li key={What}>{words.library.others(What, Count)}</li>
        ))}
        {Messages > 0 && <li className="quiet">{words.library.messages(Messages)}</li>}
      </ul>
    </section>
  )
}
