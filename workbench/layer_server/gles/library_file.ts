/** The file of the library. Android finds it by this name in its folders for layers, and in settings. */
export const GLES_LIBRARY_FILE = "libGLES_pumice.so";
