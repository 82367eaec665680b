import { lazy, Suspense, useEffect, useState } from 'react'
import { errorDetails, invalidate, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatBytes, formatDate, formatDateTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { NetworkIcon } from '@/ui/badges.tsx'
import * as buttonStyles from '@/ui/button.module.css'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, TextArea } from '@/ui/field.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { Detail, Panel } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { lengthOf, previewOf } from './asset-grid.tsx'
import { FolderField } from './folders.tsx'
import * as styles from './library.module.css'

/** Loaded lazily: the rules of all networks are larger than the rest of the screen. */
const TakenBy = lazy(async () => ({ default: (await import('./network-support.tsx')).NetworkSupport }))

const lists = ['GET /media', 'v2 GET /media', 'v2 GET /media/{id}', 'GET /media/{id}/uses'] as const

/** One asset: metadata, supported networks and usage. */
export function AssetPanel({
  id,
  onClose,
  onLook: onPreview,
}: {
  id: string
  onClose: () => void
  onLook: () => void
}) {
  const may = useMay()
  const { data, error, refetch } = useApiQuery('GET /media', { id, _count: 1 }, { keepPrevious: false })
  const [isDeleting, setIsDeleting] = useState(false)
  const [draft, setDraft] = useState<{ name: string; description: string; folderId: string }>()
  const asset = data?.Items[0]
  useEffect(() => {
    if (asset) setDraft({ name: asset.Name, description: asset.Description, folderId: asset.FolderId ?? '' })
  }, [asset])
  const change = useApiMutation('POST /media/{id}', {
    invalidates: lists,
    onSuccess: () => toast(texts.library.saved),
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  const isChanged =
    draft &&
    asset &&
    (draft.name !== asset.Name || draft.description !== asset.Description || draft.folderId !== (asset.FolderId ?? ''))
  const canContribute = may('contribute')
  return (
    <Panel
      title={<span dir="auto">{asset?.Name ?? texts.library.title}</span>}
      onClose={onClose}
      actions={
        asset && (
          <>
            {canContribute && (
              <Button
                variant="primary"
                busy={change.isPending}
                disabledReason={isChanged ? undefined : texts.library.saved}
                onClick={() => draft && change.mutate({ id, ...draft })}
              >
                {texts.library.save}
              </Button>
            )}
            {canContribute && <LinkButton href={`/app/compose?asset=${asset.Id}`}>{texts.library.compose}</LinkButton>}
            <a data-ui="button" className={buttonStyles.button} href={asset.Address} download={asset.Name}>
              {texts.library.download}
            </a>
            {canContribute && (
              <Button variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
                {texts.library.delete}
              </Button>
            )}
          </>
        )
      }
    >
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!asset && !error && <Loading />}
      {asset && draft && (
        <>
          <button type="button" data-testid="asset-picture" className={styles.assetPicture} onClick={onPreview}>
            {previewOf(asset) ? <img src={previewOf(asset)} alt={asset.Description} /> : null}
            <span>{texts.library.look}</span>
          </button>
          {canContribute && (
            <>
              <Field
                label={texts.library.name}
                value={draft.name}
                maxLength={255}
                dir="auto"
                onChange={(name) => setDraft({ ...draft, name })}
              />
              <TextArea
                label={texts.library.description}
                hint={texts.library.descriptionHint}
                value={draft.description}
                maxLength={2000}
                rows={3}
                onChange={(description) => setDraft({ ...draft, description })}
              />
              <FolderField value={draft.folderId} onChange={(folderId) => setDraft({ ...draft, folderId })} />
            </>
          )}
          <dl className={styles.assetFacts}>
            <Detail name={texts.library.facts.kind}>{asset.MimeType}</Detail>
            <Detail name={texts.library.facts.size}>{formatBytes(asset.Size)}</Detail>
            {asset.Width !== null && asset.Height !== null && (
              <Detail name={texts.library.facts.measures}>{texts.library.measures(asset.Width, asset.Height)}</Detail>
            )}
            {asset.DurationMs !== null && (
              <Detail name={texts.library.facts.length}>{lengthOf(asset.DurationMs)}</Detail>
            )}
            {asset.Pages !== null && <Detail name={texts.library.facts.pages}>{asset.Pages}</Detail>}
            <Detail name={texts.library.facts.added}>
              {formatDate(Date.parse(`${asset.Created.replace(' ', 'T')}Z`))}
            </Detail>
          </dl>
          <Suspense>
            <TakenBy asset={asset} />
          </Suspense>
          <AssetUses id={id} />
        </>
      )}
      {isDeleting && asset && (
        <DeleteAssetDialog
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

/** Lists the posts that use the asset before it is deleted. */
function DeleteAssetDialog({ id, name, onClose, onDone }: DeletingProps) {
  const { data } = useApiQuery('GET /media/{id}/uses', { id }, { keepPrevious: false })
  const remove = useApiMutation('v2 DELETE /media/{id}', {
    onSuccess: () => {
      toast(texts.library.deleted(name))
      onDone()
      invalidate(...lists)
    },
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  return (
    <Dialog title={texts.library.delete} onClose={onClose} onSubmit={() => remove.mutate({ id })}>
      <p dir="auto">{texts.library.deleteWhy(name)}</p>
      {data && data.MayBeDeleted === 0 && <AssetUses id={id} />}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button
          variant="danger"
          type="submit"
          busy={remove.isPending}
          disabledReason={data?.MayBeDeleted === 0 ? texts.library.needed : undefined}
          onClick={() => remove.mutate({ id })}
        >
          {texts.library.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Unsent posts that use the asset, the next one first. */
function AssetUses({ id }: { id: string }) {
  const { data } = useApiQuery('GET /media/{id}/uses', { id }, { keepPrevious: false })
  if (!data) return null
  const { Posts, TotalPosts, HiddenPosts, Messages, Others, MayBeDeleted } = data
  return (
    <section>
      <h3 className={layoutStyles.panelTitle}>{texts.library.facts.uses}</h3>
      <ul className={styles.assetUses}>
        {MayBeDeleted === 1 && <li className="muted">{texts.library.unneeded}</li>}
        {TotalPosts > 0 && <li>{texts.library.usedBy(TotalPosts)}</li>}
        {Posts.map((post) => (
          <li key={post.Id}>
            <a className={styles.assetUsesPost} href={`/app/calendar?post=${post.Id}`}>
              <NetworkIcon network={post.Network} label />
              <span className="tabular-nums">
                {formatDateTime(Date.parse(`${post.StartDateTime.replace(' ', 'T')}Z`))}
              </span>
              <span dir="auto">{post.Text}</span>
            </a>
          </li>
        ))}
        {HiddenPosts > 0 && <li>{texts.library.hidden(HiddenPosts)}</li>}
        {Others.map(({ What, Count }) => (
          <li key={What}>{texts.library.others(What, Count)}</li>
        ))}
        {Messages > 0 && <li className="muted">{texts.library.messages(Messages)}</li>}
      </ul>
    </section>
  )
}
