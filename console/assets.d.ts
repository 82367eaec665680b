declare module '*.svg' {
  const url: string
  export default url
}

/** The build fails where a class is used that its module does not have. */
declare module '*.module.css'
