import { useCallback, useEffect, useRef, useState } from 'react'
import type { Network } from '#networks/manifests.ts'
import { call } from '@/api/call.ts'
import { errorDetails, useApiMutation } from '@/api/queries.ts'
import { dismissUpload, retryUpload, type Upload, upload, useUploads } from '@/api/uploads.ts'
import { texts } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { TextArea } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Menu, type MenuItem } from '@/ui/menu.tsx'
import { Progress } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './attachments.module.css'
import { type Attached, attachedOf, pictureOf } from './composition.ts'

interface AttachedFilesProps {
  files: readonly Attached[]
  pendingUploads: readonly Upload[]
  onChange: (files: readonly Attached[]) => void
}

/** Attached files in order, and uploads in progress. */
export function Attachments({ files, pendingUploads, onChange }: AttachedFilesProps) {
  const [describing, setDescribing] = useState<Attached>()
  if (files.length === 0 && pendingUploads.length === 0) return null
  const moved = (from: number, to: number) => {
    const next = [...files]
    next.splice(to, 0, ...next.splice(from, 1))
    onChange(next)
  }
  return (
    <>
      <ul className={styles.attached} aria-label={texts.composer.attached}>
        {files.map((file, index) => (
          <li key={file.Id}>
            <Menu
              label={file.Name}
              items={[
                { label: texts.composer.describe, icon: 'write', onSelect: () => setDescribing(file) },
                ...(index > 0
                  ? [
                      {
                        label: texts.composer.earlier,
                        icon: 'back',
                        onSelect: () => moved(index, index - 1),
                      } as MenuItem,
                    ]
                  : []),
                ...(index < files.length - 1
                  ? [
                      {
                        label: texts.composer.later,
                        icon: 'forward',
                        onSelect: () => moved(index, index + 1),
                      } as MenuItem,
                    ]
                  : []),
                {
                  label: texts.composer.takeOff,
                  icon: 'trash',
                  kind: 'danger',
                  onSelect: () => onChange(files.filter(({ Id }) => Id !== file.Id)),
                },
              ]}
              trigger={(props) => (
                <button type="button" data-testid="attached-thumb" className={styles.attachedThumb} {...props}>
                  <Thumb file={file} />
                  <span className="visually-hidden">{file.Name}</span>
                  {file.Description && (
                    <span data-testid="attached-alt" className={styles.attachedAlt}>
                      {texts.composer.alt}
                    </span>
                  )}
                </button>
              )}
            />
          </li>
        ))}
        {pendingUploads.map(({ id, name, size, sent, state, problem }) => (
          <li key={id} className={styles.uploading}>
            <span dir="auto">{name}</span>
            {state === 'failed' ? (
              <>
                <span className={styles.attachedProblem}>{problem}</span>
                <button type="button" className={styles.uploadRetry} onClick={() => retryUpload(id)}>
                  {texts.ui.tryAgain}
                </button>
                <button type="button" className={styles.uploadRetry} onClick={() => dismissUpload(id)}>
                  {texts.ui.dismiss}
                </button>
              </>
            ) : (
              <Progress label={name} part={size === 0 ? 0 : sent / size} />
            )}
          </li>
        ))}
      </ul>
      {describing && (
        <DescriptionDialog
          file={describing}
          onDone={(Description) =>
            onChange(files.map((one) => (one.Id === describing.Id ? { ...one, Description } : one)))
          }
          onClose={() => setDescribing(undefined)}
        />
      )}
    </>
  )
}

export function Thumb({ file }: { file: Attached }) {
  const [isBroken, setIsBroken] = useState(false)
  const picture = pictureOf(file)
  return picture && !isBroken ? (
    <img src={picture} alt="" loading="lazy" onError={() => setIsBroken(true)} />
  ) : (
    <span data-ui="file-kind" className={styles.attachedKind}>
      <Icon name={file.Type === 'Video' ? 'film' : picture ? 'picture' : 'document'} />
    </span>
  )
}

interface DescribeProps {
  file: Attached
  onDone: (description: string) => void
  onClose: () => void
}

/** Alternative text for people who cannot see the media. It is stored with the file and applies wherever the file is used. */
function DescriptionDialog({ file, onDone, onClose }: DescribeProps) {
  const [text, setText] = useState(file.Description)
  const { mutate, isPending } = useApiMutation('POST /media/{id}', {
    onSuccess: () => {
      onDone(text)
      onClose()
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
    invalidates: ['GET /media'],
  })
  return (
    <Dialog
      title={texts.composer.describeTitle}
      onClose={onClose}
      onSubmit={() => mutate({ id: file.Id, description: text })}
    >
      <div className={styles.describe}>
        <Thumb file={file} />
        <TextArea
          label={texts.composer.description}
          hint={texts.composer.descriptionHint}
          value={text}
          onChange={setText}
        />
      </div>
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button type="submit" variant="primary" busy={isPending}>
          {texts.composer.keepIt}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type Version = Network | 'all'

/** Dropped, pasted or chosen files are uploaded into the library, then attached to the version they were added to. */
export function useAttachments(onAttach: (at: Version, files: readonly Attached[]) => void) {
  const uploads = useUploads()
  const [positions, setPositions] = useState<ReadonlyMap<number, Version>>(new Map())
  const attach = useRef(onAttach)
  attach.current = onAttach
  const attachFiles = useCallback((files: readonly File[], at: Version) => {
    const ids = upload(files, '')
    setPositions((before) => new Map([...before, ...ids.map((id) => [id, at] as const)]))
  }, [])
  useEffect(() => {
    for (const { id, state, mediaId } of uploads) {
      const at = positions.get(id)
      if (!at || state !== 'done') continue
      setPositions((before) => new Map([...before].filter(([one]) => one !== id)))
      dismissUpload(id)
      void attachedById([mediaId]).then((files) => attach.current(at, files))
    }
  }, [uploads, positions])
  return { attachFiles, uploads: uploads.filter(({ id }) => positions.has(id)) as readonly Upload[] }
}

/** Files of the library by id, in order; deleted files are left out. */
export async function attachedById(ids: readonly string[]): Promise<Attached[]> {
  try {
    const found = await Promise.all(ids.filter(Boolean).map((id) => call('GET /media', { id })))
    return found.flatMap(({ Items }) => Items.map(attachedOf))
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), { kind: 'problem' })
    return []
  }
}
