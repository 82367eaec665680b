declare module '*.svg' {
  const url: string
  export default url
}

/** The build fails if a class is used that its CSS module does not define. */
declare module '*.module.css'
